"""`tools/*`, `reminders/*` and `agent/*`: methods for the client's model."""

from sidecar.api.base import NoParams
from sidecar.api.model import (
    DeliveredParams,
    NextReminder,
    NextReminderParams,
    OutboxResult,
    ReminderStatus,
    SetBusyParams,
    ToolCallParams,
    ToolCallResult,
    ToolReminder,
    ToolsResult,
)
from sidecar.app.clients.session import Session
from sidecar.app.handlers import Handlers
from sidecar.app.outbound.piggyback import Piggyback
from sidecar.model_text import fence_reminder
from sidecar.rpc.answers import Answer, request_id


async def list_tools(session: Session, params: NoParams) -> ToolsResult:
    """Answer `tools/list`."""
    return ToolsResult(tools=session.toolbox.declarations())


async def call_tool(session: Session, params: ToolCallParams) -> ToolCallResult | Answer:
    """Answer `tools/call`; an error of the tool is a result, not an error of the request."""
    if params.work_done_token is None:
        result = await session.toolbox.call(params.name, params.arguments)
    else:
        async with session.reports(params.work_done_token) as reports:
            result = await session.toolbox.call(params.name, params.arguments, reports.add)
    if session.piggyback is None:
        return result
    return await _with_reminder(result, session.piggyback)


async def _with_reminder(result: ToolCallResult, piggyback: Piggyback) -> ToolCallResult | Answer:
    this = request_id.get()
    reminder = await piggyback.attach(this)
    if reminder is None:
        return result
    result.reminder = ToolReminder(text=fence_reminder(reminder.text), task_ids=reminder.task_ids)
    return Answer(
        result,
        lambda position: piggyback.flushed(this, position),
        lambda: piggyback.result_dropped(this),
    )


async def reminder_status(session: Session, params: NoParams) -> ReminderStatus:
    """Answer `reminders/status`: the summary for the system instruction."""
    return ReminderStatus(text=session.reminders.status())


async def next_reminder(session: Session, params: NextReminderParams) -> NextReminder:
    """Answer `reminders/next`: the reminder for the next turn, until it is acknowledged."""
    await session.acknowledgements_are_durable()
    return await session.reminders.next(params.max_chars)


async def delivered(session: Session, params: DeliveredParams) -> None:
    """Answer `reminders/delivered`: note that a reminder reached the model."""
    if not session.host.journal.read_only:
        session.host.require_ownership()
    await session.reminders.delivered(params.delivery_id)


async def outbox(session: Session, params: NoParams) -> OutboxResult:
    """Answer `reminders/outbox`."""
    return OutboxResult(items=await session.reminders.items())


async def set_busy(session: Session, params: SetBusyParams) -> None:
    """Handle `agent/setBusy`: the agent's turn started or ended."""
    session.set_busy(params.busy)


HANDLERS: Handlers = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "reminders/status": reminder_status,
    "reminders/next": next_reminder,
    "reminders/delivered": delivered,
    "reminders/outbox": outbox,
    "agent/setBusy": set_busy,
}
