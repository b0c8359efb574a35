"""`asyncTasks/answer` and `permissions/*`: permission requests and remembered permissions."""

from sidecar.api.base import NoParams
from sidecar.api.errors import InvalidParams, NotTrusted
from sidecar.api.runs.launches import TaskResult
from sidecar.api.runs.permissions import AnswerParams, PermissionsResult, RevokeParams, RevokeResult
from sidecar.app.clients.session import Session
from sidecar.app.handlers import Handlers


async def answer(session: Session, params: AnswerParams) -> TaskResult:
    """Answer `asyncTasks/answer`: apply the first answer to a request of a run, from any client."""
    host = session.host
    host.require_ownership()
    if (params.option_id is None) == (params.action is None):
        raise InvalidParams("optionId, action: give exactly one of them")
    record = await host.registry.resolve(params.task_id)
    if params.action is not None:
        if params.action == "accept" and not session.workspace.trusted:
            raise NotTrusted("the workspace is not trusted, so its clients can only decline questions")
        await host.questions.answer(record, params.request_id, params.action, params.content)
    elif params.option_id is not None:
        if params.content is not None:
            raise InvalidParams("content: not allowed with optionId")
        if not session.workspace.trusted and host.broker.grants(record, params.request_id, params.option_id):
            raise NotTrusted(
                "the workspace is not trusted, so its clients can only reject what a run requests"
            )
        await host.broker.answer(record, params.request_id, params.option_id)
    return TaskResult(task=host.registry.current(record), revision=host.revision)


async def list_permissions(session: Session, params: NoParams) -> PermissionsResult:
    """Answer `permissions/list`."""
    return PermissionsResult(items=await session.host.journal.permissions(), revision=session.host.revision)


async def revoke(session: Session, params: RevokeParams) -> RevokeResult:
    """Answer `permissions/revoke`; an unknown ID is not an error."""
    session.host.require_ownership()
    revoked = await session.host.journal.revoke(params.permission_ids)
    return RevokeResult(revoked=revoked, revision=session.host.revision)


HANDLERS: Handlers = {
    "asyncTasks/answer": answer,
    "permissions/list": list_permissions,
    "permissions/revoke": revoke,
}
