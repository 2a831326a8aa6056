from collections import Counter
from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool

from src.application.AI.agents.react.nodes.react_nodes import ChatModel


def bind_tools(llm: BaseChatModel, tools: Sequence[BaseTool]) -> ChatModel:
    """Tell the model which tools it may call.

    Raises:
        ValueError: two tools have the same name, so a call could not say which one it means.
    """
    counts = Counter(tool.name for tool in tools)
    duplicates = sorted(name for name, count in counts.items() if count > 1)
    if duplicates:
        msg = f"Tool names must be unique, duplicates: {duplicates}"
        raise ValueError(msg)
    # Some providers refuse an empty list of tools, and many test models cannot bind any.
    return llm.bind_tools(tools) if tools else llm
