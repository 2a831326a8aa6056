import pytest

from tests.browser.chromium import is_required, missing


def test_there_is_a_browser_to_test_the_page_with() -> None:
    """Without one the other modules of this folder are left out; this is the one that says so."""
    reason = missing()
    if reason is None:
        return
    if is_required():
        pytest.fail(reason)
    pytest.skip(reason)
