import importlib
import json

import numpy as np
import pytest

from adapters.interface import Request
from adapters.llm_sr.chat import EndpointError
from adapters.llm_sr.islands import Islands
from adapters.llm_sr.skeleton import Skeleton, UnusableError, body_of
from engine.expression import evaluate, parse
from engine.methods.registry import get
from engine.methods.settings import merge
from tests.adapters.llm_stand_in import serving

X = np.column_stack([np.linspace(-2.0, 2.0, 40), np.linspace(0.5, 3.0, 40) ** 2])
Y = 1.5 * X[:, 0] ** 2 + 0.7 * np.sin(X[:, 1]) - 0.2
RIGHT = "return params[0] * x0**2 + params[1] * np.sin(x1) + params[2]"


def started(name, url, tmp_path, *, description=None, limit=8, **overrides):
    method = get(name)
    module, _, cls = method.wrapper.partition(":")
    clock_request = Request(
        seed=7,
        threads=1,
        budget_s=30.0,
        evaluation_limit=limit,
        features=("x0", "x1"),
        target="y",
        native=tmp_path,
        description=description,
        endpoint={"url": url, "token": "lent", "model": "stand-in"} if url else None,
    )
    clock_request.clock.begin()
    return getattr(importlib.import_module(module), cls)(merge(method, overrides), clock_request)


def searched(wrapper):
    reported = []
    wrapper.fit(X, Y, reported.append)
    return reported


@pytest.mark.parametrize("name", ["llm-sr", "drsr"])
def test_a_right_structure_is_fitted_saved_and_published(name, tmp_path):
    with serving(
        lambda prompt, number: f"```python\n{RIGHT}\n```" if number > 2 else "    return params[0] * x0"
    ) as (url, seen):
        wrapper = started(name, url, tmp_path)
        reported = searched(wrapper)
    assert [one.score for one in reported] == sorted((one.score for one in reported), reverse=True)
    final = wrapper.get_optimal_equation()
    assert final.score < 1e-10
    node = parse(final.text, ["x0", "x1"], "python")
    assert np.allclose(evaluate(node, X), Y, atol=1e-4)
    assert np.array_equal(evaluate(node, X), wrapper.predict(X))
    assert all(authorization == "Bearer lent" for authorization, _ in seen)
    assert {(body["temperature"], body["top_p"], body["top_k"]) for _, body in seen} == {(0.6, 0.3, 30)}


def test_an_iteration_asks_four_times_and_shows_at_most_two_functions(tmp_path):
    answers = [f"    return params[0] * x0**{power} + params[1]" for power in range(1, 9)]
    with serving(lambda prompt, number: answers[number - 1]) as (url, seen):
        searched(started("llm-sr", url, tmp_path, islands=1))
    prompts = [body["messages"][0]["content"] for _, body in seen]
    assert len(prompts) == 8
    assert len(set(prompts[:4])) == 1
    assert len(set(prompts)) == 2
    assert "equation_v1" in prompts[0]
    assert "def equation_v2" in prompts[4]
    assert "def equation_v3" not in prompts[4]
    assert "Improved version of `equation_v1`" in prompts[4]


def test_no_row_and_no_truth_is_in_an_llm_sr_prompt(tmp_path):
    with serving(lambda prompt, number: RIGHT) as (url, seen):
        searched(started("llm-sr", url, tmp_path, limit=4))
    for _, body in seen:
        text = body["messages"][0]["content"]
        assert "given data on x0, x1" in text
        assert f"{Y[3]:.3f}" not in text


def test_descriptions_are_shown_only_when_semantics_are_on(tmp_path):
    description = {
        "features": [
            {"name": "x0", "description": "strain", "unit": None},
            {"name": "x1", "description": "temperature", "unit": "K"},
        ],
        "target": {"name": "y", "description": "stress", "unit": "MPa"},
    }
    for semantics, shown in ((True, True), (False, False)):
        with serving(lambda prompt, number: RIGHT) as (url, seen):
            searched(started("llm-sr", url, tmp_path, description=description, limit=1, semantics=semantics))
        assert ("temperature [K]" in seen[0][1]["messages"][0]["content"]) is shown


def test_drsr_shows_residuals_to_three_decimals_and_uses_what_it_learns(tmp_path):
    def answer(prompt, number):
        if "minus prediction" in prompt:
            return "RESIDUALS GROW WITH X1"
        if "Condense what was learned" in prompt:
            return "KEEP THE SQUARE"
        return f"The formula:\nreturn params[0] * x0**2 + params[1] * x1**{number} + params[2]"

    with serving(answer) as (url, seen):
        searched(started("drsr", url, tmp_path, experience_every=1))
    prompts = [body["messages"][0]["content"] for _, body in seen]
    residuals = next(prompt for prompt in prompts if "minus prediction" in prompt)
    assert f"\n{X[0, 0]:.3f} {X[0, 1]:.3f} {Y[0]:.3f} " in residuals
    assert any("improved, MSE" in prompt for prompt in prompts if "Condense" in prompt)
    generated = [prompt for prompt in prompts if "single-line return" in prompt]
    assert "RESIDUALS GROW WITH X1" in generated[-1]
    assert "KEEP THE SQUARE" in generated[-1]


@pytest.mark.parametrize(
    "answer",
    [
        "I would suggest a polynomial.",
        "return __import__('os').system('true')",
        "return open('/etc/passwd').read()",
        "return params[0] * other_variable",
        "return params[99] * x0",
        "while True: pass",
        "return params[0] * np.log(-1.0 - x0**2)",
        "",
    ],
)
@pytest.mark.parametrize("name", ["llm-sr", "drsr"])
def test_unusable_answers_are_counted_and_never_run(name, answer, tmp_path):
    with serving(lambda prompt, number: answer) as (url, _):
        wrapper = (
            started(name, url, tmp_path, limit=4, residual_analysis=False)
            if name == "drsr"
            else started(name, url, tmp_path, limit=4)
        )
        reported = searched(wrapper)
    assert len(reported) == 1  # the linear start, which no model wrote
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert (counts["samples"], counts["unusable"]) == (4, 4)
    assert len((tmp_path / "unusable.jsonl").read_text().splitlines()) == 4


def test_a_busy_server_is_asked_again(tmp_path):
    with serving(lambda prompt, number: RIGHT, failures=[503, 429]) as (url, seen):
        wrapper = started("llm-sr", url, tmp_path, limit=1)
        searched(wrapper)
    assert len(seen) == 3
    assert wrapper.chat.calls == 1


@pytest.mark.parametrize(
    ("bound", "calls"),
    [
        ({"max_calls": 3}, 3),
        ({"max_total_tokens": 240}, 2),
        ({"max_cost": 0.00029, "price_in": 1.0, "price_out": 1.0}, 3),
    ],
)
def test_bounds_are_hard(bound, calls, tmp_path):
    with serving(lambda prompt, number: f"return params[0] * x0**{number}") as (url, seen):
        searched(started("llm-sr", url, tmp_path, limit=None, **bound))
    assert len(seen) == calls


def test_a_cost_bound_without_prices_is_refused(tmp_path):
    with pytest.raises(EndpointError, match="set price_in and price_out"):
        started("llm-sr", "http://127.0.0.1:1/v1", tmp_path, max_cost=1.0)


def test_hidden_roles_stand_in_the_background_and_not_in_drsrs_header(tmp_path):
    roles = "The unordered semantic-role multiset is: distractor variable, mass."
    description = {"features": [{"name": "x0"}, {"name": "x1"}], "target": {}, "background": roles}
    with serving(lambda prompt, number: RIGHT) as (url, seen):
        searched(started("drsr", url, tmp_path, description=description, limit=1))
    prompt = seen[0][1]["messages"][0]["content"]
    assert prompt.startswith(
        "Find the mathematical function skeleton that represents y, given data on x0, x1."
    )
    assert f"Background:\n{roles}" in prompt
    assert prompt.count(roles) == 1


def test_without_a_model_the_start_fails_in_a_sentence(tmp_path):
    with pytest.raises(EndpointError, match="language model"):
        started("llm-sr", None, tmp_path)


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        ("return x0", "    return x0"),
        ("    y = params[0] * x0\n    return y", "    y = params[0] * x0\n    return y"),
        (
            'def equation_v2(x0, params):\n    """So."""\n    z = x0\n    return z\n\ndef g():\n    return 1',
            "    z = x0\n    return z",
        ),
        (
            "Sure!\n```python\ndef equation(x0, x1, params):\n    return params[0]\n```\nDone.",
            "    return params[0]",
        ),
        ("    return (x0\n        + x1)\nThat is all.", "    return (x0\n        + x1)"),
    ],
)
def test_bodies_are_taken_out_of_answers(answer, body):
    assert body_of(answer, single_line=False) == body


def test_prose_has_no_body():
    with pytest.raises(UnusableError):
        body_of("The relation is quadratic.", single_line=False)


def test_a_prompt_shows_the_two_best_functions_of_its_island():
    islands = Islands(2, np.random.default_rng(0))
    for error in (3.0, 1.0, 4.0, 2.0):
        islands.register(0, Skeleton(f"    return {error}", "", (), error))
    assert [one.mse for one in islands.shown(0)] == [2.0, 1.0]
    assert islands.shown(1) == ()


def test_islands_keep_the_better_fit_and_restart_the_weaker_half():
    islands = Islands(4, np.random.default_rng(0))
    for place, error in enumerate((1.0, 2.0, 3.0, 4.0)):
        islands.register(place, Skeleton(f"    return {place}", "", (), error))
    islands.register(0, Skeleton("    return 0", "", (), 0.5))
    assert [one.mse for one in islands.histories[0]] == [0.5]
    islands.reset()
    assert [history[0].mse for history in islands.histories[:2]] == [0.5, 2.0]
    assert all(history[0].mse in (0.5, 2.0) for history in islands.histories[2:])


@pytest.mark.parametrize("name", ["llm-sr", "drsr"])
def test_a_model_that_never_answered_is_no_completed_search(name, tmp_path):
    with serving(lambda prompt, number: RIGHT, failures=[403]) as (url, seen):
        wrapper = started(name, url, tmp_path)
        with pytest.raises(EndpointError, match="the model has answered nothing: the model endpoint refused"):
            searched(wrapper)
    assert len(seen) == 1
