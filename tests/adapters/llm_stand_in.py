"""A model server for tests: OpenAI chat completions on loopback, answers from a function of the prompt."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def serving(answer, *, failures=(), refused_after=None):
    """Serve until the block ends.

    ``answer(prompt, number)`` returns the text; each of ``failures`` is a status sent first instead; after
    ``refused_after`` requests all further ones are refused for good, as by a cap.
    Yields the base URL and the list of (authorization, body) that came.
    """
    seen = []
    waiting = list(failures)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.headers.get("Authorization"), body))
            if waiting:
                self._send(waiting.pop(0), {"error": {"message": "not now", "code": "busy"}})
                return
            if refused_after is not None and len(seen) > refused_after:
                self._send(403, {"error": {"message": "the cap is reached", "code": "cap_reached"}})
                return
            text = answer(body["messages"][-1]["content"], len(seen))
            self._send(
                200,
                {
                    "id": "c",
                    "object": "chat.completion",
                    "created": 0,
                    "model": body["model"],
                    "choices": [
                        {
                            "index": 0,
                            "finish_reason": "stop",
                            "message": {"role": "assistant", "content": text},
                        }
                    ],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
                },
            )

        def _send(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
