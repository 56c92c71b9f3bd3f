"""A loopback HTTP server for chat completions; who may ask and what is answered is the broker's business."""

import json
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from engine.models.chat_format import RefusedError, chunk

BODY_LIMIT = 4 << 20

Ask = Callable[[str, Mapping[str, Any] | None], dict[str, Any]]


def chat_server(ask: Ask) -> ThreadingHTTPServer:
    """Return a server on a free loopback port.

    Parameters
    ----------
    ask : callable
        Gets the Authorization header and the request body (None for a list of models) and returns the
        JSON answer; raises RefusedError.

    Returns
    -------
    ThreadingHTTPServer
        Not yet serving.
    """
    handler = type("Handler", (_Handler,), {"ask": staticmethod(ask)})
    return _Server(("127.0.0.1", 0), handler)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Stay silent when a killed worker took its connection along; anything else is an error of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    ask: Ask
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        try:
            self._only("/v1/models")
            models = self.ask(self.headers.get("Authorization", ""), None)
        except RefusedError as error:
            self._refuse(error)
            return
        self._send(200, models)

    def do_POST(self) -> None:
        try:
            body = self._body()
            self._only("/v1/chat/completions")
            completion = self.ask(self.headers.get("Authorization", ""), body)
        except RefusedError as error:
            self._refuse(error)
            return
        if body.get("stream"):
            self._stream(completion)
        else:
            self._send(200, completion)

    def _only(self, path: str) -> None:
        if self.path.rstrip("/") != path:
            raise RefusedError(404, "only /v1/models and /v1/chat/completions exist", "not_found")

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > BODY_LIMIT:
            self.close_connection = True
            raise RefusedError(413, f"a request needs a length of at most {BODY_LIMIT} bytes", "too_large")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except ValueError as error:
            raise RefusedError(400, "the request is not JSON", "bad_request") from error
        if not isinstance(body, dict):
            raise RefusedError(400, "the request is not a JSON object", "bad_request")
        return body

    def _refuse(self, error: RefusedError) -> None:
        kind = "invalid_request_error" if error.status < 500 else "server_error"
        self._send(error.status, {"error": {"message": str(error), "type": kind, "code": error.code}})

    def _send(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self._write(status, "application/json", data)

    def _stream(self, completion: dict[str, Any]) -> None:
        events = [chunk(completion, first=True), chunk(completion, first=False)]
        data = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self._write(200, "text/event-stream", data.encode())

    def _write(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        # The stainless SDKs obey this: a refusal here is final, retrying would only burn the budget.
        self.send_header("x-should-retry", "false")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay silent: requests are logged per run, and tokens never."""
