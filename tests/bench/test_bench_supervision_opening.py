"""How fast a campaign of the paper's size opens: 15 methods x 50 tasks x 3 seeds, 180 checkpoints each.

A benchmark, not a gate: it prints its figures (``pytest -m slow -s THIS_FILE``).
"""

import json
import time

import pytest

from engine.running import layout, reader, segments, spec_file, store
from engine.running.spec import Block, CampaignSpec, Limits, MethodEntry

METHODS, TASKS, SEEDS, INCUMBENTS = 15, 50, (520, 521, 522), 40


def paper_sized(folder):
    """2,250 finished runs with forty incumbents each and a telemetry sample every five seconds."""
    folder.mkdir()
    labels = tuple(f"method{k:02d}" for k in range(METHODS))
    tasks = tuple(f"g{k:04d}" for k in range(1, TASKS + 1))
    spec = CampaignSpec(
        "id", "now", tuple(MethodEntry(label, label, seeds=SEEDS) for label in labels),
        (Block(labels, tasks, tasks, None),), Limits(10800.0, 60.0),
    )  # fmt: skip
    spec_file.write(folder, spec)
    text = "1.2345678901234567*sin(0.12345678901234567*x0) + x1**2 - 3.4567890123456789/x2"
    incumbents = [{"event": "fit-began", "t": 0.0}] + [
        {"event": "incumbent", "t": 250.0 * k, "text": text, "native": text, "score": 1.0 / (k + 1)}
        for k in range(INCUMBENTS)
    ]
    evaluations = [
        {"index": k, "t": 250.0 * k, "status": "ok", "expression": text, "positional": text, "id_nmse": 0.1,
         "ood_nmse": 0.2, "id_status": "ok", "ood_status": "ok"}
        for k in range(INCUMBENTS)
    ]  # fmt: skip
    telemetry = [
        {"t": 5.0 * k, "cpu_s": 5.0 * k, "rss": 10**8, "processes": 1, "threads": 1} for k in range(2160)
    ]
    logs = {layout.INCUMBENTS: incumbents, layout.EVALUATIONS: evaluations, layout.TELEMETRY: telemetry}
    contents = {name: b"".join(store.dump(line) for line in lines) for name, lines in logs.items()}
    for key in spec.grid():
        attempt = layout.attempt_folder(folder, key, 1)
        attempt.mkdir(parents=True)
        for name, content in contents.items():
            (attempt / name).write_bytes(content)
        result = {
            "status": "completed", "label": key.label, "method": key.label, "name": key.task, "attempt": 1,
            "budget_s": 10800.0, "interval_s": 60.0, "fit_s": 10700.0, "incumbents": INCUMBENTS, "threads": 1,
            "final": {"source": "return", "status": "ok", "expression": text, "id_nmse": 0.1, "ood_nmse": 0.2,
                      "id_status": "ok", "ood_status": "ok"},
        }  # fmt: skip
        (attempt / layout.RESULT).write_text(json.dumps(result))
    return folder


@pytest.mark.slow
def test_opening_a_campaign_of_the_papers_size(tmp_path):
    folder = paper_sized(tmp_path / "campaign")
    figures = {}
    for state in ("live", "packed"):
        if state == "packed":
            start = time.perf_counter()
            segments.pack(folder, reader.read_campaign(folder).runs)
            figures["packing_s"] = time.perf_counter() - start
        start = time.perf_counter()
        follower = reader.Follower(folder)
        campaign = follower.refresh()
        figures[f"{state}_open_s"] = time.perf_counter() - start
        start = time.perf_counter()
        follower.refresh()
        figures[f"{state}_refresh_s"] = time.perf_counter() - start
        start = time.perf_counter()
        points = reader.checkpoints(campaign.runs[1234])
        figures[f"{state}_trajectory_s"] = time.perf_counter() - start
        assert len(campaign.runs) == 2250
        assert len(points) == 180
    start = time.perf_counter()
    everything = sum(len(reader.checkpoints(run)) for run in campaign.runs[:100])
    figures["packed_hundred_trajectories_s"] = time.perf_counter() - start
    assert everything == 18_000
    print(json.dumps(figures, indent=1))
