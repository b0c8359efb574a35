"""What distinguishes the writers and their eras on disk."""

from dataclasses import dataclass
from typing import Final, Literal

from sidecar.api.stored.tasks import Product

IdForm = Literal["uuid4", "uuid7", "epoch"]


@dataclass(frozen=True, kw_only=True)
class Era:
    """One writer in one period."""

    name: str
    product: Product
    folder: str
    ids: IdForm
    wrapper: str = "task"
    prompt_say: str = "text"
    native: bool = False
    keeps_request: bool = False
    api_ts: bool = True
    history_item: bool = False
    shared_list: bool = False
    model_info: bool = False
    workspace_heading: str = "Current Workspace Directory"
    iso_time: bool = False
    usage_extra: tuple[tuple[str, object], ...] = ()


_ROO = "rooveterinaryinc.roo-cline"
_CLINE = "saoudrizwan.claude-dev"

ERAS: Final = (
    Era(
        name="roo-first",
        product="roo",
        folder=f"first/{_ROO}",
        ids="uuid4",
        keeps_request=True,
        workspace_heading="Current Working Directory",
    ),
    Era(name="roo-xml", product="roo", folder=f"xml/{_ROO}", ids="uuid4", keeps_request=True),
    Era(
        name="roo-native",
        product="roo",
        folder=f"native/{_ROO}",
        ids="uuid7",
        wrapper="user_message",
        native=True,
        usage_extra=(("apiProtocol", "anthropic"),),
    ),
    Era(
        name="roo-listed",
        iso_time=True,
        product="roo",
        folder=f"listed/{_ROO}",
        ids="uuid7",
        wrapper="user_message",
        native=True,
        history_item=True,
        usage_extra=(("apiProtocol", "openai"),),
    ),
    Era(
        name="zoo",
        iso_time=True,
        product="zoo",
        folder="zoocodeorganization.zoo-code",
        ids="uuid7",
        wrapper="user_message",
        native=True,
        history_item=True,
        usage_extra=(("apiProtocol", "openai"),),
    ),
    Era(
        name="kilo",
        product="kilo",
        folder="kilocode.kilo-code",
        ids="uuid7",
        native=True,
        usage_extra=(("apiProtocol", "openai"), ("usageMissing", False), ("inferenceProvider", "kilo")),
    ),
    Era(
        name="cline-old",
        product="cline",
        folder=f"old/{_CLINE}",
        ids="epoch",
        keeps_request=True,
        api_ts=False,
        shared_list=True,
        workspace_heading="Current Working Directory",
    ),
    Era(
        name="cline-new",
        product="cline",
        folder=f"new/{_CLINE}",
        ids="epoch",
        prompt_say="task",
        native=True,
        keeps_request=True,
        shared_list=True,
        model_info=True,
        workspace_heading="Current Working Directory",
    ),
)
