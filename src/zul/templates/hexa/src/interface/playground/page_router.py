"""Serves the page at ``/playground``, where ``/`` leads: static files of this package alone.

Rules of this module:

- A file is found in the list of the package's own files; a request never becomes a path.
- Types come from here, because those of the machine may be wrong and ``nosniff`` is strict.
- The browser asks again each time and mostly hears that nothing changed.
"""

import hashlib
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

PAGE = Path(__file__).parent / "page"
INDEX = "index.html"

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # Beyond the usual: assigning markup is an error in browsers that know this.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)

_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
async def show_the_way() -> Response:
    """Send whoever opens the bare address to the page, also behind a proxy's prefix."""
    return RedirectResponse("playground")


# Synchronous: reading a file belongs into a worker thread.
@router.api_route("/playground", methods=["GET", "HEAD"])
def show_page(request: Request) -> Response:
    """Return the page."""
    return _serve(INDEX, request)


@router.api_route("/playground/page/{name:path}", methods=["GET", "HEAD"])
def show_file(name: str, request: Request) -> Response:
    """Return a part of the page."""
    return _serve(name, request)


def page_files() -> dict[str, Path]:
    """Return the files of the page by the names under which they are served."""
    return {
        path.relative_to(PAGE).as_posix(): path
        for path in PAGE.rglob("*")
        if path.suffix in _TYPES and path.is_file()
    }


def _serve(name: str, request: Request) -> Response:
    path = page_files().get(name)
    if path is None:
        raise HTTPException(404, "Not Found")
    body = path.read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**_HEADERS, "ETag": tag}
    if _knows(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=_TYPES[path.suffix], headers=headers)


def _knows(request: Request, tag: str) -> bool:
    known = request.headers.get("If-None-Match", "")
    return tag in {part.strip().removeprefix("W/") for part in known.split(",")}
