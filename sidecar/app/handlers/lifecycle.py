"""`initialize` to `exit`, settings and health."""

from pathlib import Path

from sidecar import __version__
from sidecar.api.base import NoParams
from sidecar.api.errors import InvalidParams
from sidecar.api.lifecycle import (
    PROTOCOL_VERSION,
    AsyncTaskCounts,
    Health,
    InitializeParams,
    InitializeResult,
    QueueHealth,
    RunnersResult,
    ServerInfo,
    SettingsUpdateParams,
    ShutdownParams,
)
from sidecar.api.methods import METHODS
from sidecar.app.clients.session import Session
from sidecar.app.clock import elapsed_ms
from sidecar.app.handlers import Handlers
from sidecar.app.roots import default_storage_root


async def initialize(session: Session, params: InitializeParams) -> InitializeResult:
    """Answer `initialize` after the recovery from a crash."""
    if params.protocol_version != PROTOCOL_VERSION:
        raise InvalidParams(
            f"protocolVersion: {params.protocol_version} is not supported; "
            f"this sidecar speaks {PROTOCOL_VERSION}"
        )
    root = _root(session, params.storage_root)
    host = await session.open(params, root)
    return InitializeResult(
        protocol_version=PROTOCOL_VERSION,
        server_info=ServerInfo(name="subagent-sidecar", version=__version__),
        storage_root=str(host.root.path),
        methods=sorted(name for name, spec in METHODS.items() if spec.direction == "toServer"),
        runners=session.context.runners.describe(),
        instance_id=host.instance_id,
        ignored_settings=session.ignored_settings(params.settings),
    )


async def shutdown(session: Session, params: ShutdownParams) -> None:
    """Answer `shutdown` when all runs have ended."""
    await session.shut_down(cancel_running=params.cancel_running)


async def exit_(session: Session, params: NoParams) -> None:
    """Handle `exit`."""
    session.connection.request_exit(session.exit_code)


async def update_settings(session: Session, params: SettingsUpdateParams) -> None:
    """Answer `settings/update`."""
    session.update_settings(params.settings)


async def list_runners(session: Session, params: NoParams) -> RunnersResult:
    """Answer `runners/list`; agents that were installed since the start can be launched from now on."""
    runners = session.context.runners
    runners.refresh()
    return RunnersResult(items=runners.describe(), missing_adapters=runners.missing_adapters() or None)


async def grant_trust(session: Session, params: NoParams) -> None:
    """Handle `workspace/didGrantTrust`."""
    session.grant_trust()


async def health(session: Session, params: NoParams) -> Health:
    """Answer `health`."""
    import psutil  # here, to keep startup fast

    host = session.host
    return Health(
        version=__version__,
        uptime_ms=elapsed_ms() - session.started_at,
        rss_bytes=psutil.Process().memory_info().rss,
        clients=host.changes.answering,
        tasks_indexed=session.history.known,
        async_tasks=AsyncTaskCounts(
            running=sum(not run.record.sync for run in host.registry.with_status("running")),
            queued=len(host.admission),
        ),
        watcher=session.stored.watcher,
        queues=QueueHealth(outbound=session.connection.outbound_depth, journal=host.journal.depth),
    )


def _root(session: Session, named: str | None) -> Path:
    if named is None:
        return session.storage_root or session.default_root or default_storage_root()
    path = Path(named)
    if not path.is_absolute():
        raise InvalidParams(f"storageRoot: {named!r} is not an absolute path")
    if session.storage_root is not None and path.resolve() != session.storage_root.resolve():
        raise InvalidParams(
            f"storageRoot: {named} is not the root this sidecar was started for ({session.storage_root}); "
            "leave it out, or start another sidecar"
        )
    return path


HANDLERS: Handlers = {
    "initialize": initialize,
    "shutdown": shutdown,
    "exit": exit_,
    "settings/update": update_settings,
    "runners/list": list_runners,
    "workspace/didGrantTrust": grant_trust,
    "health": health,
}
