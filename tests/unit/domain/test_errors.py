from collections.abc import Iterator

import pytest

from zul.domain.errors import TargetExistsError, TemplateError, ZulError


def family(error: type[ZulError]) -> Iterator[type[ZulError]]:
    yield error
    for child in error.__subclasses__():
        yield from family(child)


def instance(error: type[ZulError]) -> ZulError:
    if issubclass(error, (TargetExistsError, TemplateError)):
        return error("x")
    return error("x", "y")


@pytest.mark.parametrize("error", [*family(ZulError)])
def test_every_refusal_has_a_cause_and_a_way_out(error: type[ZulError]) -> None:
    assert instance(error).cause
    assert instance(error).hint
    assert error.__doc__
