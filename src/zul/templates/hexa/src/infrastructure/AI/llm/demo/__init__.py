"""The offline demonstration model behind `LLM_MODEL=demo`."""

from src.infrastructure.AI.llm.demo.model import DemoChatModel

__all__ = ["DemoChatModel"]
