"""Failures that are nobody's wrong request: something the service needs did not do its part.

    ServiceError
    ├── ConversationBusyError     another request holds the conversation for too long
    ├── ConversationNotFoundError nothing is stored under this thread id
    ├── ReviewRequiredError       the answer has to wait for a person
    ├── ModelCallError            the chat model gave no reply
    │   └── ModelTimeoutError     ... within the time allowed
    ├── AgentDefinitionError      the parts of an agent do not fit together
    ├── ModelNotConfiguredError   no chat model can be built from the settings
    ├── ToolFailedError           a tool raised an exception
    ├── UnanswerablePauseError    a node waits for something that is no review
    └── StoreError                the database did not answer

What each of them means to an HTTP client is decided in ``src/interface/http/errors.py`` alone.
Texts may reach the client, so they hold no exception text of a driver, provider or tool.
"""

from typing import Any


class ServiceError(Exception):
    """Base of all failures that the application reports on purpose."""


class ConversationBusyError(ServiceError):
    """Another request holds this conversation, and the configured wait is over."""

    def __init__(self) -> None:
        super().__init__("Percakapan ini sedang dipakai permintaan lain. Coba lagi sebentar lagi.")


class ConversationNotFoundError(ServiceError):
    """Nothing is stored under this thread id."""

    def __init__(self) -> None:
        super().__init__("Percakapan tidak ditemukan")


class ReviewRequiredError(ServiceError):
    """The agent paused for a person where the caller asked for a plain answer.

    Attributes:
        pending_review: the actions that wait, in the review format.
        review_id: identifies this pause; send it back with the decisions.
    """

    def __init__(self, pending_review: dict[str, Any], review_id: str) -> None:
        super().__init__("Ada aksi yang menunggu persetujuan")
        self.pending_review = pending_review
        self.review_id = review_id


class ModelCallError(ServiceError):
    """The chat model could not be reached or refused to answer.

    Attributes:
        retry_after_seconds: how long the provider asked to wait, where it said so.
    """

    def __init__(
        self,
        text: str = "Model bahasa tidak dapat dihubungi. Coba lagi nanti.",
        *,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(text)
        self.retry_after_seconds = retry_after_seconds


class ModelTimeoutError(ModelCallError):
    """The chat model did not answer within the configured time."""

    def __init__(self) -> None:
        super().__init__("Model bahasa tidak menjawab tepat waktu. Coba lagi nanti.")


class UnanswerablePauseError(ServiceError):
    """A node of the agent waits for an answer that is no review, and nobody can give one.

    Pauses have the review format, so that every client can show them.
    """

    def __init__(self) -> None:
        super().__init__("Agen ini berhenti untuk menunggu sesuatu yang bukan persetujuan aksi.")


class AgentDefinitionError(ServiceError, ValueError):
    """The parts of an agent do not fit together, so it cannot be built. The text names the fault.

    Args:
        fault: what its owner has to mend; names of tools and parameters, no values of users.
    """

    def __init__(self, fault: str) -> None:
        super().__init__(f"Agen ini tidak dapat dibangun: {fault}")


class ModelNotConfiguredError(ServiceError):
    """No chat model can be built from the settings. The text names the setting to mend."""


class ToolFailedError(ServiceError):
    """A tool raised an exception. The log has the exception, the conversation an error result."""

    def __init__(self, tool_name: str) -> None:
        super().__init__(f"Tool `{tool_name}` gagal dijalankan")
        self.tool_name = tool_name


class StoreError(ServiceError):
    """The database could not be reached or refused the work."""

    def __init__(self) -> None:
        super().__init__("Penyimpanan percakapan tidak dapat dihubungi. Coba lagi nanti.")
