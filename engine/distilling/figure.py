"""Drawing figure 2: projection, trade-off and composition, as a vector file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import EngineError

KINDS = (".svg", ".pdf", ".png")


def draw(document: Mapping[str, Any], path: Path) -> None:
    """Draw what the baselines document holds.

    Parameters
    ----------
    document : mapping
        With ``projection``, ``selectors`` and ``composition``.
    path : pathlib.Path
        ``.svg``, ``.pdf`` or ``.png``.

    Raises
    ------
    EngineError
        When the name has another ending.
    """
    if path.suffix not in KINDS:
        raise EngineError(f"{path.name}: a figure ends in {', '.join(KINDS)}")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 4.6), layout="constrained")
    cover, trade, parts = figure.subplots(1, 3)
    cloud = document["projection"]
    place = {task: k for k, task in enumerate(cloud["tasks"])}
    cover.scatter(cloud["x"], cloud["y"], s=6, color="0.75", label=f"full ({len(place)})")
    marked = {"calibration": cloud["calibration"]}
    marked |= {one["selector"]: one["members"] for one in document["selectors"] if one["selector"][0] == "@"}
    for name, members in marked.items():
        own = [place[task] for task in members if task in place]
        cover.scatter(
            [cloud["x"][k] for k in own],
            [cloud["y"][k] for k in own],
            s=8 if name == "calibration" else 22,
            label=f"{name} ({len(own)})",
        )
    first, second = cloud["explained"]
    cover.set(
        title="Coverage",
        xlabel=f"component 1 ({first:.1%} of variance)",
        ylabel=f"component 2 ({second:.1%})",
    )
    cover.legend(fontsize=7)
    for one in document["selectors"]:
        trade.scatter(one["mean_info"], one["mae"], s=25)
        trade.annotate(one["selector"], (one["mean_info"], one["mae"]), fontsize=7)
    trade.set(title="Trade-off", xlabel="mean Info", ylabel="MAE, log10 NMSE")
    names = list(document["composition"])
    left = [0.0] * len(names)
    for family in document["composition"]["full"]:
        shares = [document["composition"][name][family] for name in names]
        parts.barh(names, shares, left=left, label=family)
        left = [one + two for one, two in zip(left, shares, strict=True)]
    parts.set(title="Composition", xlabel="share of tasks")
    parts.invert_yaxis()
    parts.legend(fontsize=6, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.13))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Fixed ids and no date: the same data gives the same file.
    with rc_context({"svg.hashsalt": "arena-tui"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
