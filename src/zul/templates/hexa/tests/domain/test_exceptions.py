import pytest

from src.domain import exceptions
from src.domain.exceptions import (
    DomainError,
    EmptyMessageError,
    InvalidReviewDecisionError,
    NoPendingReviewError,
    ReviewAlreadyDecidedError,
    ReviewPendingError,
    StaleReviewError,
)

TEXTS = {
    EmptyMessageError: "Message tidak boleh kosong",
    NoPendingReviewError: "Tidak ada aksi yang menunggu persetujuan di percakapan ini",
    ReviewPendingError: "Masih ada aksi yang menunggu persetujuan. Kirim keputusannya dulu.",
    ReviewAlreadyDecidedError: "Aksi ini sudah diputuskan dengan keputusan lain.",
    StaleReviewError: (
        "Keputusan ini bukan untuk aksi yang sedang menunggu. "
        "Muat ulang percakapan dan periksa aksinya lagi."
    ),
}


@pytest.mark.parametrize(("rule", "text"), TEXTS.items(), ids=lambda part: str(part)[:40])
def test_a_broken_rule_says_so_in_words_for_people(rule: type[DomainError], text: str) -> None:
    assert str(rule()) == text


def test_an_invalid_decision_says_what_it_was_told_to_say() -> None:
    assert str(InvalidReviewDecisionError("Butuh 2 keputusan")) == "Butuh 2 keputusan"


def test_every_rule_stands_in_the_tree_that_the_module_draws() -> None:
    own = [
        name
        for name, value in vars(exceptions).items()
        if isinstance(value, type) and issubclass(value, DomainError)
    ]

    drawn = exceptions.__doc__ or ""

    assert own
    assert [name for name in own if name not in drawn] == []
