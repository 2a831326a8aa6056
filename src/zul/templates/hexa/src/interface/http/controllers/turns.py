"""Handlers that several agents share: what becomes of decisions, and of a turn that is watched."""

from src.application.conversation import Watcher
from src.application.errors import ReviewRequiredError
from src.application.ports.conversation_stores import ConversationStores
from src.application.turns import ChatTurn
from src.application.usecases.chat import ChatUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.interface.http.controllers.messages import ChatRequest
from src.interface.http.controllers.reviews import ReviewedChatResponse, ReviewRequest
from src.interface.http.fields import new_thread_id
from src.interface.http.streams.responses import StreamedTurn


def review(request: ReviewRequest, usecase: ReviewedChatUseCase) -> ReviewedChatResponse:
    """Apply a person's decisions."""
    turn = usecase.submit_review(
        request.plain_decisions(), request.thread_id, review_id=request.review_id
    )
    return ReviewedChatResponse.of(turn, request.thread_id)


def stream_chat(
    request: ChatRequest, usecase: ChatUseCase, stores: ConversationStores
) -> StreamedTurn:
    """Prepare a turn for a message; an answer may turn out to need a person first."""
    thread_id = request.thread_id or new_thread_id()

    def take(watcher: Watcher) -> ChatTurn:
        try:
            return ChatTurn(answer=usecase.execute(request.message, thread_id, watcher=watcher))
        except ReviewRequiredError as pause:
            return ChatTurn.paused(pause)

    return StreamedTurn(thread_id, stores, take)


def stream_reviewed_chat(
    request: ChatRequest, usecase: ReviewedChatUseCase, stores: ConversationStores
) -> StreamedTurn:
    """Prepare a turn for a message to an agent whose actions a person approves."""
    thread_id = request.thread_id or new_thread_id()
    return StreamedTurn(
        thread_id,
        stores,
        lambda watcher: usecase.send_message(request.message, thread_id, watcher=watcher),
    )


def stream_review(
    request: ReviewRequest, usecase: ReviewedChatUseCase, stores: ConversationStores
) -> StreamedTurn:
    """Prepare the rest of a turn for a person's decisions."""
    return StreamedTurn(
        request.thread_id,
        stores,
        lambda watcher: usecase.submit_review(
            request.plain_decisions(),
            request.thread_id,
            review_id=request.review_id,
            watcher=watcher,
        ),
    )
