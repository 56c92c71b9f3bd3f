"""A model is lent to workers that ask one: they reach it, and no record holds its key or token."""

import dataclasses
import http.server
import json
import threading

import pytest

from engine.errors import EngineError
from engine.methods import registry
from tests.engine.running.running_campaigns import events, make_campaign, runs_of, supervise, use_stubs

ASKING = """
import urllib.request
endpoint = request["endpoint"]
begin()
messages = [{"role": "user", "content": "an equation"}]
body = {"model": endpoint["model"], "messages": messages, "max_tokens": 20}
question = urllib.request.Request(endpoint["url"] + "/chat/completions", json.dumps(body).encode(),
    {"Authorization": "Bearer " + endpoint["token"], "Content-Type": "application/json"})
answer = json.load(urllib.request.urlopen(question, timeout=10))
text = answer["choices"][0]["message"]["content"]
incumbent(text)
final(text)
"""


class Model(http.server.BaseHTTPRequestHandler):
    """A stand-in for an OpenAI-compatible server."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = {
            "id": "1", "object": "chat.completion", "created": 1, "model": "stand-in",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "2*x0 + 1"}}
            ],
            "usage": {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11},
        }  # fmt: skip
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def model():
    """The address of a stand-in model."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def campaign(tmp_path, arena_home, monkeypatch):
    """Make a campaign of a stub that asks a model."""

    def make(table):
        folder = make_campaign(tmp_path / "campaign", {"stub": ASKING}, budget=20.0)
        text = (folder / "campaign.toml").read_text()
        (folder / "campaign.toml").write_text(text.replace("[methods.", f"{table}[methods.", 1))
        use_stubs(folder, monkeypatch)
        plain = registry.get
        monkeypatch.setattr(registry, "get", lambda name: dataclasses.replace(plain(name), model=True))
        return folder

    return make


def test_a_worker_reaches_the_model_and_no_record_holds_key_or_token(campaign, model, monkeypatch):
    monkeypatch.setenv("STAND_IN_KEY", "sk-never-to-be-seen")
    table = f'[model]\nname = "stand-in"\nbase_url = "{model}"\nkey_variable = "STAND_IN_KEY"\ncalls = 3\n'
    folder = campaign(table)
    supervise(folder)
    run = runs_of(folder)["stub/u0000001/520"]
    assert (run.status, run.expression) == ("completed", "2*x + 1")
    used = next(event for event in events(folder) if event["event"] == "model-used")
    assert (used["calls"], used["input_tokens"], used["output_tokens"]) == (1, 5, 6)
    assert (run.folder / "model.jsonl").exists()
    asked = json.loads((run.folder / "request.json").read_text())["request"]["endpoint"]
    assert asked["token"] is None
    assert asked["model"] == "stand-in"
    for file in folder.rglob("*"):
        if file.is_file():
            assert b"sk-never-to-be-seen" not in file.read_bytes()


def test_a_method_that_asks_a_model_needs_one_before_anything_starts(campaign):
    folder = campaign("")
    with pytest.raises(EngineError, match="stub asks a language model and none is named: say --model NAME"):
        supervise(folder)
    assert {run.status for run in runs_of(folder).values()} == {"planned"}
