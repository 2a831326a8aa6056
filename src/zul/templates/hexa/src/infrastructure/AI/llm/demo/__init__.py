"""The offline demonstration model (`LLM_MODEL=demo`); nothing else in the project depends on its parts."""

from .model import DemoChatModel

__all__ = ["DemoChatModel"]
