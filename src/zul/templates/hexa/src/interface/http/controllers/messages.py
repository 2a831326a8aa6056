"""Messages as request and response models; every agent's endpoints share them."""

from pydantic import BaseModel

from src.interface.http.fields import Text, ThreadId


class ChatRequest(BaseModel):
    """A message for an agent; without a ``thread_id`` it starts a conversation."""

    message: Text
    thread_id: ThreadId | None = None


class ChatResponse(BaseModel):
    """The agent's answer; send ``thread_id`` with the next message to go on."""

    answer: str
    thread_id: str
