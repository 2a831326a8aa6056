from collections import Counter
from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool

from src.application.AI.agents.react.nodes.react_nodes import ChatModel
from src.application.AI.agents.tool_calls import is_tool_name
from src.application.errors import AgentDefinitionError


def bind_tools(llm: BaseChatModel, tools: Sequence[BaseTool]) -> ChatModel:
    """Tell the model which tools it may call.

    Raises:
        ValueError: two tools have the same name, so a call could not say which one it means; or
            a name holds what providers refuse, and what a person's edit could not name either.
    """
    unusable = sorted(tool.name for tool in tools if not is_tool_name(tool.name))
    if unusable:
        msg = (
            "Tool names must be 1 to 128 of the characters A-Z, a-z, 0-9, '_', '-', '.' and ':', "
            f"got: {unusable}"
        )
        raise AgentDefinitionError(msg)
    counts = Counter(tool.name for tool in tools)
    duplicates = sorted(name for name, count in counts.items() if count > 1)
    if duplicates:
        msg = f"Tool names must be unique, duplicates: {duplicates}"
        raise AgentDefinitionError(msg)
    # Some providers refuse an empty list of tools, and many test models cannot bind any.
    return llm.bind_tools(tools) if tools else llm
