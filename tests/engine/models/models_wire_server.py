"""A local server that speaks the real wire formats: Messages, Message Batches and chat completions."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CREATED = "2026-11-01T00:00:00Z"
EXPIRES = "2026-11-02T00:00:00Z"


def message(text, *, stop="end_turn", tokens=(120, 40), explanation=None):
    """A whole message of the Messages API, a thinking block first."""
    body = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5",
        "content": [
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
            {"type": "text", "text": text},
        ],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }
    if explanation:
        body["stop_details"] = {"type": "refusal", "category": None, "explanation": explanation}
    return body


def stream(text, *, stop="end_turn", tokens=(120, 40), cut=False, error=None, explanation=None):
    """Server-sent events of one message; ``cut`` ends the connection in the middle of the text."""
    whole = message(text, stop=stop, tokens=tokens, explanation=explanation)
    start = {
        **whole,
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": 1},
    }
    events = [
        ("message_start", {"message": start}),
        (
            "content_block_start",
            {"index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        ),
        ("content_block_delta", {"index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}}),
        ("content_block_stop", {"index": 0}),
        ("ping", {}),
        ("content_block_start", {"index": 1, "content_block": {"type": "text", "text": ""}}),
    ]
    half = len(text) // 2
    events += [
        ("content_block_delta", {"index": 1, "delta": {"type": "text_delta", "text": part}})
        for part in (text[:half], text[half:])
    ]
    if error:
        events[7:] = [("error", {"error": {"type": error, "message": "busy"}})]
    elif cut:
        events = events[:7]
    else:
        delta = {"stop_reason": stop, "stop_sequence": None}
        if explanation:
            delta["stop_details"] = whole["stop_details"]
        events += [
            ("content_block_stop", {"index": 1}),
            ("message_delta", {"delta": delta, "usage": {"output_tokens": tokens[1]}}),
            ("message_stop", {}),
        ]
    text = "".join(f"event: {n}\ndata: {json.dumps({'type': n, **d})}\n\n" for n, d in events)
    return Canned(200, text.encode(), {"Content-Type": "text/event-stream"})


def failure(status, kind, *, retry_after=None):
    headers = {"Content-Type": "application/json"}
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    body = {"type": "error", "error": {"type": kind, "message": f"{kind} happened"}, "request_id": "req_1"}
    return Canned(status, json.dumps(body).encode(), headers)


def chat(text, *, stop="stop", usage=True, refusal=None):
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "llama-3.1-8b",
        "choices": [
            {
                "index": 0,
                "finish_reason": stop,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
            }
        ],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59}
    return reply(body)


def reply(body, status=200):
    return Canned(status, json.dumps(body).encode(), {"Content-Type": "application/json"})


@dataclass
class Canned:
    status: int
    data: bytes
    headers: dict = field(default_factory=dict)


@dataclass
class Seen:
    path: str
    headers: dict
    body: dict | None


class BatchBook:
    """The Message Batches side: each created batch ends after ``polls`` looks with what ``outcome`` says."""

    def __init__(self, outcome, polls=1):
        self.outcome = outcome
        self.polls = polls
        self.batches = {}
        self.looks = {}

    def create(self, body):
        key = f"msgbatch_{len(self.batches) + 1:02}"
        self.batches[key] = body["requests"]
        self.looks[key] = 0
        return self.describe(key)

    def describe(self, key):
        ended = self.looks[key] >= self.polls
        self.looks[key] += 1
        counts = {"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
        return {
            "id": key,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": CREATED,
            "expires_at": EXPIRES,
            "ended_at": CREATED if ended else None,
            "cancel_initiated_at": None,
            "archived_at": None,
            "results_url": f"{self.url}/v1/messages/batches/{key}/results" if ended else None,
        }

    def results(self, key):
        number = int(key.rsplit("_", 1)[1])
        lines = [
            {"custom_id": request["custom_id"], "result": result}
            for request in reversed(self.batches[key])
            for result in self.outcome(number, request)
        ]
        return "".join(json.dumps(line) + "\n" for line in lines)


@contextmanager
def serving(answers=(), *, batches=None):
    """Serve canned answers in order; the last one is repeated. Yields (base_url, list of Seen)."""
    seen, queue, lock = [], list(answers), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                seen.append(Seen(self.path, self.lowered(), body))
                if batches and self.path.startswith("/v1/messages/batches"):
                    canned = reply(batches.create(body))
                else:
                    canned = queue.pop(0) if len(queue) > 1 else queue[0]
            self.send(canned)

        def do_GET(self):
            with lock:
                seen.append(Seen(self.path, self.lowered(), None))
                key = self.path.split("/")[4]
                if self.path.endswith("/results"):
                    canned = Canned(
                        200, batches.results(key).encode(), {"Content-Type": "application/x-jsonl"}
                    )
                else:
                    canned = reply(batches.describe(key))
            self.send(canned)

        def lowered(self):
            return {name.lower(): value for name, value in self.headers.items()}

        def send(self, canned):
            self.send_response(canned.status)
            for name, value in canned.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(canned.data)))
            self.end_headers()
            self.wfile.write(canned.data)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    url = f"http://127.0.0.1:{server.server_address[1]}"
    if batches:
        batches.url = url
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield url, seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
