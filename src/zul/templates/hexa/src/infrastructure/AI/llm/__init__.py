from src.infrastructure.AI.llm.factory import get_llm_model

__all__ = ["get_llm_model"]
