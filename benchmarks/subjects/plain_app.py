"""The baseline of a start: FastAPI, LangGraph, and an endpoint that says the service is up."""

from fastapi import FastAPI
from langgraph.graph import StateGraph

app = FastAPI()


@app.get("/health")
async def health() -> dict[str, str]:
    """Tell that the service is up."""
    return {"status": "ok", "graph": StateGraph.__name__}
