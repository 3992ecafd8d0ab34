"""Static pages: the built console, and a list of the server's addresses."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any, final

from fastapi import Depends, FastAPI, Request
from fastapi.exception_handlers import http_exception_handler
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from motionbase.console.access import viewer

HASHED = re.compile(r"assets/.+-[A-Za-z0-9_-]{8,}\.\w+")  # Vite names files by a hash of their content
NOTHING = {404: "Not Found", 405: "Method Not Allowed"}  # Starlette's messages for unknown addresses
SHOWN = 100  # characters shown of an address
FOR_EVER, EVERY_TIME = "public, max-age=31536000, immutable", "no-cache"
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:3rem auto;padding:0 1.5rem;color:#1c2733;"
    "background:#fbfcfd}td{padding:.2rem 1.2rem .2rem 0;vertical-align:top}code{font:13px ui-monospace,monospace}"
    "td:first-child{color:#5b6b7b}@media(prefers-color-scheme:dark){body{color:#d7dee6;background:#12171d}a{color:#7ab7ff}}"
)


@final
class Page(StaticFiles):
    """The built page; browsers cache hashed files and revalidate the rest."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Serve a file of the page."""
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = FOR_EVER if HASHED.fullmatch(path) else EVERY_TIME
        return response


async def _nothing(request: Request, error: Exception) -> Response:
    """Answer for an unknown address or method, with what would work; as a page if a browser opened it."""
    assert isinstance(error, HTTPException)
    if error.status_code == 401 and "text/html" in request.headers.get("accept", ""):
        text = f'<p>{escape(_capital(error.detail))}.</p><p><a href="/">To the console</a></p>'
        return HTMLResponse(_html("motionbase console", text), 401, error.headers)
    if error.detail != NOTHING.get(error.status_code):
        return await http_exception_handler(request, error)
    path = request.url.path if len(request.url.path) <= SHOWN else f"{request.url.path[:SHOWN]}..."
    text = f"there is nothing at {path}"
    if error.status_code == 405:
        takes = (error.headers or {}).get("Allow", "another method")
        text = f"{path} does not take {request.method}; it takes {takes}"
    if path.startswith("/api") or "text/html" not in request.headers.get("accept", ""):
        sentence = f"{text}; /api lists the addresses of this server"
        return JSONResponse({"detail": sentence}, error.status_code, error.headers)
    links = 'The console is <a href="/">here</a>, the addresses of the server are <a href="/api">there</a>.'
    return HTMLResponse(_html("motionbase console", f"<p>{escape(_capital(text))}. {links}</p>"), error.status_code)


def add_pages(app: FastAPI, static: Path) -> None:
    """Add `/api`, and the built page for all other addresses."""
    app.add_exception_handler(HTTPException, _nothing)

    needs = [Depends(viewer)]

    @app.get("/api", include_in_schema=False, dependencies=needs)
    @app.get("/api/", include_in_schema=False, dependencies=needs)
    async def addresses() -> HTMLResponse:
        return HTMLResponse(listing(app.openapi()))

    @app.get("/api/openapi.json", include_in_schema=False, dependencies=needs)
    async def described() -> JSONResponse:
        return JSONResponse(app.openapi())

    if (static / "index.html").is_file():
        app.mount("/", Page(directory=static, html=True), name="page")
        return

    @app.get("/", include_in_schema=False)
    async def not_built() -> HTMLResponse:
        text = (
            "<p>The page of the console is not built: run <code>npm ci</code> and <code>npm run build</code> in "
            '<code>web/</code>, then reload. The <a href="/api">addresses of the server</a> work.</p>'
        )
        return HTMLResponse(_html("motionbase console", text), 503, {"cache-control": EVERY_TIME})


def listing(description: dict[str, Any]) -> str:
    """The addresses of an OpenAPI description as a page."""
    rows = "".join(
        f"<tr><td><code>{method.upper()}</code></td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(about.get('description') or about.get('summary') or '')}</td></tr>"
        for path, methods in description["paths"].items()
        for method, about in methods.items()
    )
    text = f'<p>In full: <a href="/api/openapi.json">openapi.json</a></p><table>{rows}</table>'
    return _html(f"motionbase console {description['info']['version']}", text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _html(title: str, text: str) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{escape(title)}</h1>{text}</html>"
    )
