"""Throws in the browser: a page with choices, served to this machine alone."""

from __future__ import annotations

import html
import json
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from sim.options import MAX_THROW
from sim.watch.choices import Choice, Choices
from sim.watch.outcome import TALLY_HEADER, points_line, tally_rows
from sim.watch.page import DATA, MODULES, film_record, write_page
from sim.watch.program import Program

HOST = "127.0.0.1"

PATIENCE = 10.0
"""A connection that says nothing for this long is closed [s]."""

_SCRIPTS = {f"/{file}" for file in (*MODULES.values(), "browser.js")}
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self' data: 'unsafe-inline'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class Show:
    """What the page asks for: itself, and throws.

    Attributes:
        page: HTML.
        program: That is shown.
        hosts: Names and ports by which a browser may call this server.
    """

    def __init__(self, choices: Choices, first: int | None, speed: float) -> None:
        self._choices, self._first, self._speed = choices, first, speed
        self._lock = threading.Lock()
        self.hosts: set[str] = set()
        self.program: Program = choices.program({})
        fields = "".join(map(_field, choices.choices))
        header = "".join(f"<th>{html.escape(cell)}</th>" for cell in TALLY_HEADER)
        sidebar = (DATA / "sidebar.html").read_text(encoding="utf-8")
        sidebar = sidebar.replace("__CHOICES__", fields).replace("__HEADER__", header)
        sidebar = sidebar.replace("__FORWARD__", choices.forward)
        imports = {name: f"./{file}" for name, file in MODULES.items()}
        self.page = write_page("Pig throws", imports, sidebar)

    def throw(self, question: Mapping[str, str]) -> dict[str, Any]:
        """Answer with the film of a throw and the tally, or say what is wrong.

        Args:
            question: The choices; `index`, the throw that is shown, if any; and `move`: `at` that
                one, `after` it or `before` it.
        """
        try:
            with self._lock:
                return self._answer(question)
        except (ValueError, KeyError) as error:
            return {"problem": str(error)}

    def _answer(self, question: Mapping[str, str]) -> dict[str, Any]:
        program = self.program = self._choices.program(question)
        if "index" in question:
            moves: dict[str, Callable[[int], int]] = {
                "at": int,
                "after": program.after,
                "before": program.before,
            }
            index = moves[question.get("move", "at")](_whole(question["index"]))
        else:
            index = program.first if self._first is None else self._first
        self._first = None
        film = program.film(index)
        title = f"throw {index} of {program.title}"
        tally = program.tally()
        return {
            "index": index,
            "film": film_record(film, program.stage, title, self._speed),
            "tally": tally_rows(tally),
            "points": points_line(tally),
        }


def watch_in_browser(choices: Choices, first: int | None, speed: float, port: int) -> Program:
    """Serve the page until Ctrl-C.

    Args:
        choices: What can be chosen.
        first: The throw to begin with; None leaves it to the program.
        speed: At which films start to play; 1 is real.
        port: 0 takes a free one.
    """
    show = Show(choices, first, speed)
    try:
        server = ThreadingHTTPServer((HOST, port), partial(_Handler, show))
    except OSError as error:
        raise ValueError(f"port {port}: {error.strerror}; give another --port") from None
    with server:
        show.hosts = {f"{name}:{server.server_port}" for name in (HOST, "localhost")}
        print(
            f"watch at http://{HOST}:{server.server_port}, end with Ctrl-C",
            file=sys.stderr,
            flush=True,
        )
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return show.program


class _Handler(BaseHTTPRequestHandler):
    """Answers a browser on this machine, and none of the pages that it shows from elsewhere."""

    timeout = PATIENCE

    def __init__(self, show: Show, *connection: Any) -> None:
        self._show = show
        super().__init__(*connection)

    def handle(self) -> None:
        """Answer until the browser goes, however it does."""
        with suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:  # the name that the standard library calls
        """Answer a request."""
        try:
            url = urlsplit(self.path)
        except ValueError:
            self._send(HTTPStatus.BAD_REQUEST, "text/plain", "not an address")
            return
        if not self._is_own():
            self._send(HTTPStatus.FORBIDDEN, "text/plain", "for pages of this server only")
        elif url.path == "/":
            self._send(HTTPStatus.OK, "text/html", self._show.page)
        elif url.path == "/throw":
            answer = self._show.throw(dict(parse_qsl(url.query, keep_blank_values=True)))
            self._send(HTTPStatus.OK, "application/json", json.dumps(answer))
        elif url.path in _SCRIPTS:
            script = (DATA / url.path[1:]).read_text(encoding="utf-8")
            self._send(HTTPStatus.OK, "text/javascript", script)
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", "not found")

    def _is_own(self) -> bool:
        """Tell whether the request is for this host, and from its own page or typed by hand.

        The host is checked since a foreign page can have its own name lead here.
        """
        host = self.headers.get("Host")
        return (
            host in self._show.hosts
            and self.headers.get("Origin", f"http://{host}") == f"http://{host}"
            and self.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        )

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(content))}
        for name, value in (headers | _HEADERS).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Keep standard error for what the command says."""


def _field(choice: Choice) -> str:
    label = f'<label for="{choice.name}">{html.escape(choice.label)}</label>'
    name = f'id="{choice.name}" name="{choice.name}"'
    if not choice.options:
        value = html.escape(choice.chosen)
        return f'{label}<input {name} value="{value}" placeholder="the device\'s, or 8in, 20cm">'
    options = "".join(
        f'<option value="{html.escape(word)}"{" selected" * (word == choice.chosen)}>'
        f"{html.escape(text)}</option>"
        for word, text in choice.options.items()
    )
    return f"{label}<select {name}>{options}</select>"


def _whole(text: str) -> int:
    if not (text.isdecimal() and len(text) <= len(str(MAX_THROW)) and int(text) <= MAX_THROW):
        raise ValueError(f"throw {text[:40]!r}: expected a whole number from 0 to {MAX_THROW}")
    return int(text)
