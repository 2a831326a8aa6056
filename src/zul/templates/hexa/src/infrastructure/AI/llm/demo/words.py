"""Sets of words, written as text."""


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text that separates them by white space."""
    return frozenset(words.split())
