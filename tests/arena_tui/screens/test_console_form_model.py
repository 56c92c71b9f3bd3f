"""The form's caps and its language model: checked, written as the command, and read back the same."""

import argparse

import pytest

from arena_tui.commands.run_words import add_campaign_flags, draft_of
from arena_tui.screens.campaigns import plan

ASKS = {"out": "c", "methods": "llm-sr,bank", "tasks": "Nguyen-1", "seeds": "520", "conditions": "clean",
        "budget": "20s", "interval": "5s", "workers": "1", "model": "a-model",
        "base-url": "http://127.0.0.1:9/v1"}  # fmt: skip


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_model_and_caps_are_written_as_a_command_that_reads_back_the_same():
    caps = {"price": "1.5 6", "model-calls": "200", "model-tokens": "100000", "model-cost": "2.5",
            "memory": "512"}  # fmt: skip
    verdict = plan.check({**ASKS, **caps})
    assert verdict.good, verdict.notes
    assert verdict.notes["model"].text == "for llm-sr"
    flags = argparse.ArgumentParser()
    flags.add_argument("--out")
    add_campaign_flags(flags)
    draft = draft_of(flags.parse_args(verdict.words[1:]))
    assert draft.model == {
        "name": "a-model", "base_url": "http://127.0.0.1:9/v1", "prices": [1.5, 6.0],
        "calls": 200, "tokens": 100000, "cost": 2.5,
    }  # fmt: skip
    assert draft.memory_mib == 512


@pytest.mark.parametrize(
    ("field", "text", "beside", "said"),
    [
        ("model", "", "model", "llm-sr asks a language model"),
        ("base-url", "ftp://x", "base-url", "http"),
        ("base-url", "", "key-variable", "ANTHROPIC_API_KEY"),
        ("key-variable", "NO_SUCH_KEY", "key-variable", "NO_SUCH_KEY"),
        ("price", "1", "price", "IN OUT"),
        ("model-calls", "0", "model-calls", "above 0"),
        ("model-cost", "inf", "model-cost", "above 0"),
        ("evaluations", "x=5", "evaluations", "no method"),
        ("evaluations", "many", "evaluations", "positive whole number"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(field, text, beside, said):
    far = {"base-url": "https://models.example/v1"} if field == "key-variable" else {}
    verdict = plan.check({**ASKS, **far, field: text})
    assert [name for name, note in verdict.notes.items() if note.wrong] == [beside]
    assert said in verdict.notes[beside].text


def test_a_campaign_without_such_a_method_needs_none():
    verdict = plan.check({**ASKS, "methods": "bank", "model": "", "base-url": ""})
    assert verdict.good
    assert "--model" not in verdict.words


def test_a_key_is_never_shown(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    verdict = plan.check({**ASKS, "base-url": "https://models.example/v1", "key-variable": "MY_KEY"})
    assert verdict.good
    assert "very-secret" not in repr(verdict)
