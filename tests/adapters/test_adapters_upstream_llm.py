"""LLM-SR's and DrSR's own code: the program we give the one, the files we read from the other."""

import ast
import json

import numpy as np

from adapters.drsr_upstream.history import read_best
from adapters.llm_sr_upstream.specification import specification
from adapters.llm_sr_upstream.wrapper import chat_address
from engine.expression import evaluate, parse


class Namespace:
    run = staticmethod(lambda function: function)
    evolve = staticmethod(lambda function: function)


def test_the_specification_fits_and_leaves_the_constants_it_found(tmp_path):
    file = tmp_path / "parameters.jsonl"
    text = specification(["x0", "x1"], "y", None, 10, str(file))
    ast.parse(text)
    X = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    space = {"evaluate": Namespace, "equation": Namespace}
    exec(compile(text, "specification", "exec"), space)
    score = space["evaluate"]({"inputs": X, "outputs": 2 * X[:, 0] - X[:, 1] + 0.5})
    entry = json.loads(file.read_text())
    assert -score == entry["loss"] < 1e-10
    np.testing.assert_allclose(entry["params"][:3], [2, -1, 0.5], atol=1e-4)


def test_semantic_texts_are_used_where_the_campaign_gives_them():
    told = {"features": [{"description": "elongation", "unit": "m"}], "target": {"description": "force"}}
    text = specification(["x0"], "y", told, 10, "file")
    assert "represents force, given data on x0 (elongation [m])" in text
    assert "observations of elongation [m]" in text
    assert "A spring." in specification(["x0"], "y", {"background": "A spring."}, 10, "file")
    assert "represents y, given data on x0" in specification(["x0"], "y", None, 10, "file")


def test_drsrs_best_functions_are_read_in_order_and_torn_files_left_out(tmp_path):
    history = tmp_path / "best_history"
    history.mkdir()
    source = "def equation(x0, params):\n    return params[0]*x0 + params[1]"
    for order, score, values in ((5, -1.0, [1.0, 2.0]), (2, -9.0, [0.0, 0.0])):
        entry = {"score": score, "function": source, "params": values, "sample_order": order}
        (history / f"best_sample_{order}.json").write_text(json.dumps(entry))
    (history / "best_sample_7.json").write_text('{"score": -0.')
    found = read_best(tmp_path)
    assert [equation.score for equation in found] == [-9.0, -1.0]
    values = evaluate(parse(found[-1].text, ["x0"], "python"), np.array([[3.0]]))
    assert values[0] == 5.0


def test_the_endpoints_address_is_completed_once():
    assert chat_address("http://127.0.0.1:1/v1/") == "http://127.0.0.1:1/v1/chat/completions"
    assert chat_address("http://127.0.0.1:1") == "http://127.0.0.1:1/v1/chat/completions"
