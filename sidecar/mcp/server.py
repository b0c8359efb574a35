"""The methods of the protocol, for one client."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol

from sidecar import __version__
from sidecar.api.errors import SidecarError, TaskNotFound
from sidecar.mcp import declarations, results, revisions
from sidecar.mcp.model import Model, Piggyback
from sidecar.model_text import clean, fence
from sidecar.rpc.answers import Answer
from sidecar.rpc.errors import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError
from sidecar.rpc.messages import MessageId, Notification, Request

SERVER_INFO: Final = {"name": "subagent-sidecar", "title": "Subagent Sidecar", "version": __version__}
CACHE_MS: Final = {
    "server/discover": 3_600_000,
    "tools/list": 3_600_000,
    "resources/templates/list": 3_600_000,
    "resources/list": 0,
    "resources/read": 0,
}
"""How long a client may keep an answer, in ms; the first three do not change while the server runs."""
RESOURCE_NOT_FOUND: Final = -32002
"""The code of the older revisions; the newest one has -32602."""

logger = logging.getLogger(__name__)
Notify = Callable[[str, Any], Awaitable[None]]


class Reports(Protocol):
    """A stream of text to the client."""

    def add(self, text: str) -> None:
        """Add text."""


OpenReports = Callable[[Callable[[str], Awaitable[None]]], AbstractAsyncContextManager[Reports]]
"""Returns a stream that sends its text at a bounded pace with the given function."""


class McpServer:
    """Answer one client. `notify` sends a notification to it, `reports` paces the progress of tools."""

    def __init__(self, model: Model, piggyback: Piggyback, notify: Notify, reports: OpenReports) -> None:
        self.accepts_batches = False
        self._model = model
        self._piggyback = piggyback
        self._notify = notify
        self._reports = reports
        self._revision: str | None = None
        self._methods: Mapping[str, Callable[[Request, Mapping[str, Any]], Awaitable[Answer]]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": self._ping,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
        }

    async def handle(self, request: Request) -> Answer:
        """Return the answer of a request. Raises RpcError and SidecarError."""
        params = request.params
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "params must be an object")
        method = self._methods.get(request.method)
        stateless = revisions.is_stateless(params)
        if method is None or (stateless and request.method in ("initialize", "ping")):
            raise RpcError(METHOD_NOT_FOUND, f"unknown method {request.method}")
        if not stateless and self._revision is None:
            _require_start(request.method)
        try:
            answer = await method(request, params)
        finally:
            await self._piggyback.settled()  # what an answered message acknowledged is never reported again
        if stateless or request.method == "server/discover":
            _stamp(answer.result, request.method)
        return answer

    def notice(self, notification: Notification) -> None:
        """Take a notification; none of them needs an action."""
        logger.debug("the client sent %s", notification.method)

    def heard(self, start: int, cancels: MessageId | None) -> None:
        """Note a message of the client, which may acknowledge a reminder."""
        self._piggyback.heard(start, cancels)

    async def _initialize(self, request: Request, params: Mapping[str, Any]) -> Answer:
        if self._revision is not None:
            raise RpcError(INVALID_REQUEST, "initialize was already sent")
        if not isinstance(params.get("protocolVersion"), str):
            raise RpcError(INVALID_PARAMS, "protocolVersion must be a string")
        self._revision = revisions.agree(params["protocolVersion"])
        self.accepts_batches = self._revision == revisions.BATCHES
        return Answer(
            {
                "protocolVersion": self._revision,
                "capabilities": declarations.CAPABILITIES,
                "serverInfo": SERVER_INFO,
                "instructions": declarations.INSTRUCTIONS,
            }
        )

    async def _discover(self, request: Request, params: Mapping[str, Any]) -> Answer:
        return Answer(
            {
                "supportedVersions": list(revisions.SUPPORTED),
                "capabilities": declarations.CAPABILITIES,
                "instructions": declarations.INSTRUCTIONS,
            }
        )

    async def _ping(self, request: Request, params: Mapping[str, Any]) -> Answer:
        return Answer({})

    async def _list_tools(self, request: Request, params: Mapping[str, Any]) -> Answer:
        _refuse_cursor(params)
        tools = [declarations.tool(each) for each in self._model.declarations()]
        return Answer({"tools": tools})

    async def _call_tool(self, request: Request, params: Mapping[str, Any]) -> Answer:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "name must be the name of a tool")
        if not isinstance(arguments, dict | None):
            raise RpcError(INVALID_PARAMS, "arguments must be an object")
        token = _progress_token(params)
        if token is None:
            result = await self._model.call(name, arguments or {}, None)
        else:
            async with self._reports(self._progress(token)) as reports:
                result = await self._model.call(name, arguments or {}, reports.add)
        reminder = await self._piggyback.attach(request.id)
        answer = results.tool_result(result, reminder)
        if reminder is None:
            return Answer(answer)
        return Answer(
            answer,
            lambda position: self._piggyback.flushed(request.id, position),
            lambda: self._piggyback.result_dropped(request.id),
        )

    def _progress(self, token: str | int) -> Callable[[str], Awaitable[None]]:
        """Return a function that sends text of a subagent as progress, marked as data."""
        sent = 0

        async def send(text: str) -> None:
            nonlocal sent
            sent += 1
            progress = {"progressToken": token, "progress": sent, "message": fence(clean(text))}
            await self._notify("notifications/progress", progress)

        return send

    async def _list_resources(self, request: Request, params: Mapping[str, Any]) -> Answer:
        cursor = params.get("cursor")
        if not isinstance(cursor, str | None):
            raise RpcError(INVALID_PARAMS, "cursor must be a string")
        page = await self._model.transcripts(cursor)
        listed: dict[str, Any] = {"resources": [results.resource(each) for each in page.items]}
        listed |= {} if page.next_cursor is None else {"nextCursor": page.next_cursor}
        return Answer(listed)

    async def _list_templates(self, request: Request, params: Mapping[str, Any]) -> Answer:
        _refuse_cursor(params)
        return Answer({"resourceTemplates": list(declarations.TEMPLATES)})

    async def _read_resource(self, request: Request, params: Mapping[str, Any]) -> Answer:
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise RpcError(INVALID_PARAMS, "uri must be a string")
        if not uri.startswith(results.SCHEME):
            raise _not_found(params, uri, "resources are task://ID")
        try:
            text = await self._model.transcript(uri.removeprefix(results.SCHEME))
        except TaskNotFound as error:
            raise _not_found(params, uri, error.message) from None
        except SidecarError as error:
            raise RpcError(INVALID_PARAMS, error.message, {"uri": uri}) from None
        return Answer(results.contents(uri, text))


def _require_start(method: str) -> None:
    if method not in ("initialize", "server/discover", "ping"):
        raise RpcError(INVALID_REQUEST, f"send initialize first, or name {revisions.VERSION_KEY} in _meta")


def _stamp(result: dict[str, Any], method: str) -> None:
    """Add the members that results have in the newest revision."""
    if method in CACHE_MS:
        result |= {"ttlMs": CACHE_MS[method], "cacheScope": "private"}
    result["resultType"] = "complete"
    result["_meta"] = {**result.get("_meta", {}), revisions.SERVER_INFO_KEY: SERVER_INFO}


def _refuse_cursor(params: Mapping[str, Any]) -> None:
    if params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "cursor: there is only one page")


def _progress_token(params: Mapping[str, Any]) -> str | int | None:
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None


def _not_found(params: Mapping[str, Any], uri: str, why: str) -> RpcError:
    code = INVALID_PARAMS if revisions.is_stateless(params) else RESOURCE_NOT_FOUND
    return RpcError(code, f"no resource {uri!r}: {why}", {"uri": uri})
