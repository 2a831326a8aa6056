from typing import Protocol

from zul.domain.template import Template


class TemplateSource(Protocol):
    """Where templates come from."""

    def load(self, name: str) -> Template:
        """Return the template `name` as it stands, nothing replaced.

        Raises `TemplateError` when it is missing or unreadable.
        """
        ...
