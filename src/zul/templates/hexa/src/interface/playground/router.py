from fastapi import APIRouter

from src.interface.http.errors import REFUSED, Refusal
from src.interface.playground import controller
from src.interface.playground.controller import (
    FeatureResponse,
    PlaygroundMessage,
    PlaygroundResume,
    PlaygroundTurn,
)

router = APIRouter(
    prefix="/playground",
    tags=["playground"],
    responses={
        **REFUSED,
        404: {"model": Refusal, "description": "No such feature"},
        503: {"model": Refusal, "description": "The feature cannot be built"},
    },
)


@router.get("/features")
def list_features() -> list[FeatureResponse]:
    """List what can be tried."""
    return controller.list_features()


@router.post("/messages")
def send_message(request: PlaygroundMessage) -> PlaygroundTurn:
    """Send a message and see every step."""
    return controller.send_message(request)


@router.post("/resume")
def resume(request: PlaygroundResume) -> PlaygroundTurn:
    """Answer a pause and see every step."""
    return controller.resume(request)
