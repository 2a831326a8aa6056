"""Takes the pictures of the playground in docs/screenshots, from the page as it runs.

    pip install -e "src/zul/templates/hexa[browser]"
    python scripts/screenshots.py

Starts the template's service with the demo model and an empty store, plays a few conversations and
photographs them: on a desk in light and dark, and on a phone. Needs a Chromium on PATH or under
CHROMIUM. ``--font`` names a font of this machine to use in place of the system's.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "src/zul/templates/hexa"
PICTURES = ROOT / "docs/screenshots"
MOST_BYTES = 300 * 1024
USE_FONT = "font => document.documentElement.style.setProperty('--font', font)"

DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

EARLIER = (
    "Bagaimana cuaca di Jakarta?",
    "Kirim email ke dewi@example.com: laporan bulanan sudah siap",
    "Kirim email ke tim@example.com: rapat jam 9 besok",
)
ONE_EMAIL = "Kirim email ke tim@example.com dengan subjek 'Rapat' isi 'Rapat pindah ke jam 10.'"
TWO_EMAILS = "Kirim email ke budi@example.com dan citra@example.com: rapat pindah ke jam 11"
TWO_TASKS = "Cek cuaca di Jakarta, lalu kirim email ke alice@example.com: bawa payung ya"

sys.path.insert(0, str(TEMPLATE))
from tests.browser.chromium import FLAGS, find_chromium  # noqa: E402


@contextmanager
def service(folder: Path) -> Iterator[str]:
    """Run the template's service and yield its address."""
    log = folder / "server.log"
    environment = {
        **os.environ,
        "PYTHONPATH": str(TEMPLATE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LLM_MODEL": "demo",
        "DATABASE_URL": f"sqlite:///{folder / 'app.db'}",
        "PLAYGROUND_ENABLED": "true",
    }
    command = [sys.executable, "-m", "uvicorn", "src.interface.http.main:app", "--port", "0"]
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  # the arguments are ours
            command, cwd=folder, env=environment, stdout=output, stderr=output
        )
    try:
        yield address(process, log)
    finally:
        process.terminate()
        process.wait()


def address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for the service and read its address from its log."""
    for _ in range(1200):
        found = re.search(r"running on (http://\S+)", log.read_text(encoding="utf-8"))
        if found:
            return found[1]
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit(f"the service did not start:\n{log.read_text(encoding='utf-8')}")


class Photographer:
    """Opens pages and takes pictures of them."""

    def __init__(self, browser: Browser, url: str, font: str | None) -> None:
        self._browser = browser
        self._url = url
        self._font = font

    def open(self, place: str, **options: Any) -> Page:
        """Open the page in a browser that knows no conversation."""
        context = self._browser.new_context(
            reduced_motion="reduce", timezone_id="Asia/Jakarta", **{"locale": "id-ID", **options}
        )
        page = context.new_page()
        self.go(page, place)
        return page

    def go(self, page: Page, place: str) -> None:
        """Go to a feature."""
        page.goto(f"{self._url}/playground#/{place}")
        page.reload()
        page.locator("#main[aria-busy=false]").wait_for()
        if self._font:
            page.evaluate(
                "f => document.documentElement.style.setProperty('--font', f)", self._font
            )

    def take(self, page: Page, name: str) -> None:
        """Save a picture of what is on the screen."""
        page.mouse.move(0, 0)
        page.wait_for_timeout(200)
        path = PICTURES / f"{name}.png"
        page.screenshot(path=path)
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size // 1024} KB")  # noqa: T201
        if size > MOST_BYTES:
            raise SystemExit(f"{path} is too large")


def say(page: Page, message: str, until: str) -> None:
    """Send a message and wait for the turn to come to a state."""
    page.locator("#message").fill(message)
    page.locator("#message").press("Enter")
    page.locator(f".turn[data-state={until}]").last.wait_for()


def approve(page: Page) -> None:
    """Approve everything that waits."""
    for card in page.locator(".action").all():
        card.get_by_role("radio").first.check()
    page.locator(".review [type=submit]").click()
    page.locator(".turn[data-state=done]").last.wait_for()


def talk_before(photographer: Photographer, page: Page) -> None:
    """Have some conversations for the list on the left."""
    for message in EARLIER[1:]:
        photographer.go(page, "Human-in-the-loop")
        say(page, message, "pending")
        approve(page)


def light(photographer: Photographer) -> None:
    """An action waits and is being edited."""
    page = photographer.open("Human-in-the-loop", viewport=DESK, color_scheme="light")
    talk_before(photographer, page)
    photographer.go(page, "Human-in-the-loop")
    say(page, ONE_EMAIL, "pending")
    page.get_by_role("radio", name="Ubah").check()
    page.locator(".field input").first.fill("tim-melati@example.com")
    body = page.locator(".field textarea")
    body.fill("Rapat pindah ke jam 11.\nTempatnya tetap ruang Melati.")
    body.blur()
    page.locator(".review").evaluate("e => e.scrollIntoView()")
    photographer.take(page, "light")


def dark(photographer: Photographer) -> None:
    """A supervisor and its subagents, seen step by step, up to the pause."""
    page = photographer.open("Subagents", viewport=DESK, color_scheme="dark")
    say(page, EARLIER[0], "done")
    photographer.go(page, "Subagents")
    say(page, TWO_TASKS, "pending")
    page.locator("#conversation").evaluate("e => { e.scrollTop = 0; }")
    photographer.take(page, "dark")


def phone(photographer: Photographer) -> None:
    """An action that waits, on a phone."""
    page = photographer.open("Human-in-the-loop", viewport=PHONE, device_scale_factor=2)
    say(page, TWO_EMAILS, "pending")
    page.locator(".action").first.get_by_role("radio", name="Setujui").check()
    page.locator(".review").evaluate("e => e.scrollIntoView()")
    photographer.take(page, "phone")


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--font", help="a font family to use in place of the system's")
    arguments = parser.parse_args()
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        service(Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        photographer = Photographer(browser, url, arguments.font)
        for picture in (light, dark, phone):
            picture(photographer)
        browser.close()


if __name__ == "__main__":
    main()
