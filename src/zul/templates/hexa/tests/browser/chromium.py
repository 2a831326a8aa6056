"""Finds the browser of these tests, and says loudly when there is none."""

import importlib.util
import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PACKAGES = ("playwright", "axe_playwright_python")

FLAGS = [
    "--no-sandbox",  # containers
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """The path in CHROMIUM, a browser on PATH, or the one that playwright has installed."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).exists() else None
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or _of_playwright()


def missing_packages() -> str | None:
    """Say which packages of the optional extra ``browser`` are not installed."""
    names = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if not names:
        return None
    return f'THE PAGE IS NOT TESTED: no {", ".join(names)}; pip install -e ".[browser]"'


def missing_chromium() -> str | None:
    """Say that there is no browser."""
    if find_chromium() is not None:
        return None
    return "THE PAGE IS NOT TESTED: no Chromium; install one or run: playwright install chromium"


def is_required() -> bool:
    """Tell whether these tests must not be skipped for want of a browser."""
    return os.environ.get("CI", "").strip().lower() not in {"", "0", "false", "no", "off"}


def _of_playwright() -> str | None:
    home = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright")
    return next((str(path) for path in sorted(home.glob("chromium-*/chrome-*/chrome"))), None)
