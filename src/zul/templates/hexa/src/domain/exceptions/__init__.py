"""Violations of business rules.

    DomainError
    ├── EmptyMessageError
    ├── NoPendingReviewError
    ├── ReviewPendingError
    ├── StaleReviewError
    ├── ReviewAlreadyDecidedError
    └── InvalidReviewDecisionError

Every subclass that leaves a use case becomes HTTP 400 with its text as ``detail``: one handler in
``src/interface/http`` serves them all, new ones included. The texts are shown to people.
"""


class DomainError(Exception):
    """A request that breaks a business rule; the caller can mend it and try again."""


class EmptyMessageError(DomainError):
    """The message holds nothing but white space."""

    def __init__(self) -> None:
        super().__init__("Message tidak boleh kosong")


class NoPendingReviewError(DomainError):
    """A decision arrived although nothing waits for one in this conversation."""

    def __init__(self) -> None:
        super().__init__("Tidak ada aksi yang menunggu persetujuan di percakapan ini")


class ReviewPendingError(DomainError):
    """A new message arrived while an action still waits for a decision."""

    def __init__(self) -> None:
        super().__init__("Masih ada aksi yang menunggu persetujuan. Kirim keputusannya dulu.")


class StaleReviewError(DomainError):
    """The decision names a pause that is not the one waiting now."""

    def __init__(self) -> None:
        super().__init__(
            "Keputusan ini bukan untuk aksi yang sedang menunggu. "
            "Muat ulang percakapan dan periksa aksinya lagi."
        )


class ReviewAlreadyDecidedError(DomainError):
    """Another decision for the same pause was accepted before this one."""

    def __init__(self) -> None:
        super().__init__("Aksi ini sudah diputuskan dengan keputusan lain.")


class InvalidReviewDecisionError(DomainError):
    """The decisions do not fit the actions that wait. The text says which rule is broken."""
