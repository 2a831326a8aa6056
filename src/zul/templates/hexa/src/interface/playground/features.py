"""What the playground offers: the very agents that serve clients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.tools import BaseTool

from src.application.AI.agents.react.react import Agent
from src.application.ports.conversation_stores import ConversationStores
from src.infrastructure.database.stores import get_stores
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)


@dataclass(frozen=True, slots=True)
class Feature:
    """An agent to try.

    Attributes:
        name: shown to people and used by the API.
        description: what the agent does.
        build_agent: the controller's own builder.
        examples: messages to start with.
        get_stores: where the agent's conversations are locked and recorded.
        list_tools: tools whose arguments the page helps to edit.
    """

    name: str
    description: str
    build_agent: Callable[[], Agent]
    examples: tuple[str, ...] = ()
    get_stores: Callable[[], ConversationStores] | None = None
    list_tools: Callable[[], Sequence[BaseTool]] = tuple

    def stores(self) -> ConversationStores:
        """Return where the agent's conversations are locked and recorded."""
        return self.get_stores() if self.get_stores else get_stores(f"playground/{self.name}")


FEATURES: list[Feature] = [
    Feature(
        name="ReAct",
        description="Agen dasar dengan tool cuaca. Sama dengan `POST /chat`.",
        build_agent=chat_controller.get_react_agent,
        examples=("Bagaimana cuaca di Jakarta?", "Cuaca di Bandung dan Surabaya?"),
        get_stores=chat_controller.get_chat_stores,
        list_tools=lambda: chat_controller.TOOLS,
    ),
    Feature(
        name="Human-in-the-loop",
        description="Email baru dikirim setelah kamu setujui. Sama dengan `POST /hitl/chat`.",
        build_agent=hitl_controller.get_human_in_the_loop_agent,
        examples=(
            "Kirim email ke alice@example.com dengan subjek 'Rapat' isi 'Rapat mulai jam 10.'",
            "Kirim email ke budi@example.com dan citra@example.com: rapat pindah ke jam 11",
        ),
        get_stores=hitl_controller.get_hitl_stores,
        list_tools=lambda: hitl_controller.TOOLS,
    ),
    Feature(
        name="Subagents",
        description="Supervisor yang membagi tugas ke agen cuaca dan agen email. "
        "Sama dengan `POST /subagents/chat`.",
        build_agent=subagents_controller.get_supervisor_agent,
        examples=(
            "Cek cuaca di Jakarta, lalu kirim email ke alice@example.com: bawa payung ya",
            "Bagaimana cuaca di Medan?",
        ),
        get_stores=subagents_controller.get_subagents_stores,
        list_tools=lambda: [t for spec in subagents_controller.SUBAGENTS for t in spec.tools],
    ),
]


def find_feature(name: str) -> Feature | None:
    """Return the feature of this name."""
    return next((feature for feature in FEATURES if feature.name == name), None)
