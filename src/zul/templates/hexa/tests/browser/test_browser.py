import pytest

from tests.browser.chromium import is_required, missing_chromium, missing_packages


def test_there_is_a_browser_to_test_the_page_with() -> None:
    """Without one the other modules of this folder are left out; this is the one that says so.

    Who has installed the extra `browser` wants these tests; in CI they may not pass unseen then.
    """
    if reason := missing_packages():
        pytest.skip(reason)
    if reason := missing_chromium():
        if is_required():
            pytest.fail(reason)
        pytest.skip(reason)
