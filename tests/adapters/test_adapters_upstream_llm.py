"""LLM-SR's and DrSR's own code: the program we give the one, the files we read from the other."""

import ast
import json

import numpy as np

from adapters.drsr_upstream.history import read_best
from adapters.llm_sr_upstream.specification import specification
from engine.expression import evaluate, parse
from tests.adapters.llm_stand_in import serving


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


# What our adapter touches of upstream's modules, with a pipeline that asks and registers for ever.
UPSTREAM = {
    "config": "class Config:\n    def __init__(self, **values):\n        self.values = values\n"
    "ExperienceBufferConfig = ClassConfig = Config\n",
    "evaluator": "LocalSandbox = None\n",
    "sampler": "class LLM:\n    def __init__(self, count):\n        self._samples_per_prompt = count\n"
    "def _extract_body(text, config):\n    return text\n",
    "pipeline": """
import itertools, types
profile = types.SimpleNamespace()

class Program:
    score = -1.0
    def __init__(self, number, body):
        self.global_sample_nums, self.body = number, body
    def __str__(self):
        return f"def equation(x0, x1, params):\\n{self.body}"

def main(text, data, config, _, classes, log_dir):
    open(log_dir + "/parameters.jsonl", "w").write('{"loss": 1.0, "params": [2.0]}\\n')
    model = classes.values["llm_class"](config.values["samples_per_prompt"])
    register = profile.Profiler().register_function
    for number in itertools.count(2):
        for body in model.draw_samples("the prompt", config):
            register(Program(number, body))
""",
}


def upstream_checkout(folder):
    (folder / "llmsr").mkdir(parents=True)
    for name, text in ({"__init__": ""} | UPSTREAM).items():
        (folder / "llmsr" / f"{name}.py").write_text(text)
    return folder


def test_upstream_asks_a_busy_model_again_and_ends_at_the_cap_with_what_it_has(
    plugins, run_worker, table, tmp_path
):
    source = upstream_checkout(tmp_path / "upstream")
    with serving(lambda prompt, number: "    return params[0]*x0", failures=[503], refused_after=9) as (
        url,
        seen,
    ):
        ran = run_worker(
            "llm-sr-upstream", *table, path=source, source=source, budget_s=60,
            endpoint={"url": url, "token": "lent", "model": "m"},
        )  # fmt: skip
    assert ran.code == 0, ran.log
    assert ran.events("final")[0]["text"].startswith("params = [2.0]")
    assert {body["top_k"] for _, body in seen} == {30}
    assert "search ended: the model endpoint refused (403)" in ran.log


def test_upstream_without_any_answer_is_no_completed_search(plugins, run_worker, table, tmp_path):
    source = upstream_checkout(tmp_path / "upstream")
    with serving(lambda prompt, number: "", refused_after=0) as (url, _):
        ran = run_worker(
            "llm-sr-upstream", *table, path=source, source=source, budget_s=60,
            endpoint={"url": url, "token": "lent", "model": "m"},
        )  # fmt: skip
    assert ran.code == 3
    assert "the model has answered nothing" in ran.lines[-1]["message"]


STUBBORN = """
import json, sys, time
folder = sys.argv[sys.argv.index("--experiment_dir") + 1] + "/best_history"
import os
os.makedirs(folder)
best = {"score": -1.0, "function": "def equation(x0, x1, params):\\n    return params[0]*x0", "params": [2.0]}
open(folder + "/best_sample_1.json", "w").write(json.dumps(best))
while True:
    print("refused: {'error': {'message': 'the cap is reached', 'code': 'cap_reached'}}", flush=True)
    time.sleep(0.05)
"""


def test_upstream_that_would_ask_for_ever_is_ended_at_the_cap(plugins, run_worker, table, tmp_path):
    (tmp_path / "main.py").write_text(STUBBORN)
    endpoint = {"url": "http://127.0.0.1:1/v1", "token": "lent", "model": "m"}
    ran = run_worker("drsr-upstream", *table, path=tmp_path, source=tmp_path, budget_s=100, endpoint=endpoint)
    assert ran.code == 0, ran.log
    assert ran.events("final")[0]["text"].startswith("params = [2.0]")
    assert ran.log.count("cap_reached") == 1
