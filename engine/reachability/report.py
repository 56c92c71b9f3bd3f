"""The tables of a paired study, as rows: for the terminal, Parquet, LaTeX and JSON alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.reachability.arms import CONTROLS, GP_METHODS
from engine.reachability.outcomes import METRICS, TITLES, Gain, Outcomes, Rate
from engine.reachability.records import plan, units

Value = str | int | float | None
LEVELS = ("l1", "l2")


@dataclass(frozen=True, slots=True)
class Table:
    """One table: a key for files, a caption, column heads and rows."""

    key: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All tables of a study and what has to be said about them."""

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...]


def report(folder: Path) -> Report:
    """Make the report of a study's folder, finished or not.

    Parameters
    ----------
    folder
        Output folder of ``paired run``.

    Returns
    -------
    Report

    Raises
    ------
    EngineError
        If the folder holds no study.
    """
    return tabulated(plan(folder), list(units(folder)))


def tabulated(made: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> Report:
    """Make the report of a study whose plan and units were read already.

    Parameters
    ----------
    made
        The plan.
    records
        The units.

    Returns
    -------
    Report
    """
    found = Outcomes(records, made)
    tables = [_rates(found)]
    arms = set(found.arms)
    tables += [_four_cells(found, level) for level in LEVELS if {"bank", f"llm-{level}"} <= arms]
    tables += [_gains(found), domains(found, "acc0.01")]
    tables += [seed_counts(found, arm) for arm in found.arms if arm in GP_METHODS and "bank" in arms]
    tables += [
        _retention(found, level) for level in LEVELS if {"bank", f"llm-{level}", f"union-{level}"} <= arms
    ]
    library = made["library"]["title"]
    title = f"{library}: {len(found.tasks)} tasks, seeds {', '.join(map(str, found.seeds))}"
    return Report(title, tuple(table for table in tables if table.rows), _notes(found, records, made))


def percent(rate: Rate) -> str:
    """Write a rate as the paper does: mean and population sd in percent."""
    if rate.mean is None or rate.sd is None:
        return "not run"
    missing = "" if rate.cells == rate.expected else f" ({rate.cells} of {rate.expected})"
    return f"{100 * rate.mean:.2f} ± {100 * rate.sd:.2f}{missing}"


def _rates(found: Outcomes) -> Table:
    rows: list[tuple[Value, ...]] = [
        (arm.upper(), *(percent(found.rate(arm, metric)) for metric in METRICS)) for arm in found.arms
    ]
    return Table(
        "rates",
        "Success rates in %, mean ± population sd over seeds (paper 2, table 2)",
        ("arm", *(TITLES[metric] for metric in METRICS)),
        tuple(rows),
    )


def _four_cells(found: Outcomes, level: str) -> Table:
    counts = {metric: found.four_cells("bank", f"llm-{level}", metric) for metric in METRICS}
    rows: list[tuple[Value, ...]] = [
        (_word(bank), _word(llm), *(len(counts[metric][bank, llm]) for metric in METRICS))
        for bank in (True, False)
        for llm in (True, False)
    ]
    return Table(
        f"cells_{level}",
        f"Task-seed cells by BANK and LLM-{level.upper()} outcome (table 3)",
        ("BANK", "LLM", *(TITLES[metric] for metric in METRICS)),
        tuple(rows),
    )


def _gains(found: Outcomes) -> Table:
    rows: list[tuple[Value, ...]] = []
    for metric in METRICS:
        others = [arm for arm in found.arms if arm != "bank"] if "bank" in found.arms else []
        rows += [
            (TITLES[metric], f"{arm.upper()} - BANK", *_gain(found.gain(arm, "bank", metric), found))
            for arm in others
        ]
        if {"llm-l1", "llm-l2"} <= set(found.arms):
            one, other = found.rate("llm-l1", metric).mean, found.rate("llm-l2", metric).mean
            share = None if one is None or other is None else round(100 * (one - other), 2)
            gain = found.gain("llm-l1", "llm-l2", metric)
            rows.append((TITLES[metric], f"LLM-L1 - LLM-L2 (delta_sem {share} points)", *_gain(gain, found)))
    return Table(
        "gains",
        "Paired gains over task-seed cells; delta_prior is the UNION - BANK net; exact sign test (eqs. 5, 6)",
        ("metric", "pair", "net", "net per seed", "gained", "lost", "tied", "left out", "p"),
        tuple(rows),
    )


def _gain(gain: Gain, found: Outcomes) -> tuple[Value, ...]:
    p: Value = "no differing cells" if gain.p is None else round(gain.p, 6)
    return (gain.net, gain.net / len(found.seeds), gain.wins, gain.losses, gain.ties, gain.left_out, p)


def domains(found: Outcomes, metric: str) -> Table:
    """Tabulate how many tasks each arm solves in each domain, and what UNION adds to BANK (table 8).

    Parameters
    ----------
    found
        Outcomes.
    metric
        Of ``METRICS``.

    Returns
    -------
    Table
        Means over seeds; None where a cell of the domain has no outcome.
    """
    arms = [arm for arm in found.arms if arm not in CONTROLS]
    unions = [arm for arm in arms if arm.startswith("union-") and "bank" in arms]
    rows: list[tuple[Value, ...]] = []
    for domain in (*dict.fromkeys(found.domains.values()), None):
        tasks = [task for task in found.tasks if domain in (None, found.domains[task])]
        solved = {arm: found.solved(arm, metric, tasks) for arm in arms}
        gained = [_difference(solved[arm], solved["bank"]) for arm in unions]
        rows.append((domain or "total", len(tasks), *(_rounded(solved[arm]) for arm in arms), *gained))
    return Table(
        "domains",
        f"Mean number of tasks solved under {TITLES[metric]}, by domain; delta is UNION - BANK (table 8)",
        (
            "domain",
            "N",
            *(arm.upper() for arm in arms),
            *(f"delta {arm.removeprefix('union-').upper()}" for arm in unions),
        ),
        tuple(rows),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else round(one - other, 2)


def _retention(found: Outcomes, level: str) -> Table:
    kept = {metric: found.retention(level, metric) for metric in METRICS}
    rows: list[tuple[Value, ...]] = []
    for bank, llm in ((True, True), (True, False), (False, True), (False, False)):
        shares = [kept[metric][bank, llm] for metric in METRICS]
        rows.append((_word(bank), _word(llm), *(f"{_share(one, of)} ({one}/{of})" for one, of in shares)))
    return Table(
        f"retention_{level}",
        f"UNION-{level.upper()} success in % within BANK / LLM-{level.upper()} cells (table 13)",
        ("BANK", "LLM", *(TITLES[metric] for metric in METRICS)),
        tuple(rows),
    )


def _share(one: int, of: int) -> str:
    return f"{100 * one / of:.1f}" if of else "-"


def _word(solved: bool) -> str:
    return "correct" if solved else "incorrect"


def seed_counts(found: Outcomes, arm: str) -> Table:
    """Count by seed who solves a task under Acc0.01: BANK, a GP arm, both or neither (table 14).

    Parameters
    ----------
    found
        Outcomes.
    arm
        A GP arm.

    Returns
    -------
    Table
        Seeds in which no task has both outcomes are left out.
    """
    cells = found.four_cells("bank", arm, "acc0.01")
    whos = ((True, True), (True, False), (False, True), (False, False))
    rows: list[tuple[Value, ...]] = []
    for seed in (*found.seeds, None):
        counts = [sum(seed in (None, cell[1]) for cell in cells[who]) for who in whos]
        if sum(counts):
            name = "total" if seed is None else seed
            rows.append((name, counts[0] + counts[1], counts[0] + counts[2], *counts, sum(counts)))
    title = arm.upper()
    return Table(
        arm.replace("-", "_"),
        f"Tasks solved under Acc0.01 by BANK and by {title} (table 14)",
        ("seed", "BANK", title, "both", "BANK only", f"{title} only", "neither", "tasks"),
        tuple(rows),
    )


def _notes(found: Outcomes, records: Sequence[Mapping[str, Any]], made: Mapping[str, Any]) -> tuple[str, ...]:
    notes = []
    reasons = {cell["what"]: cell["reason"] for cell in reversed(made.get("not_run", []))}
    asked = [record for record in records if record.get("proposals")]
    if any(record["proposals"]["source"].get("demonstration") for record in asked):
        notes.append("The proposals were written for demonstration; no model proposed them.")
    for arm in found.arms:
        have = [record for record in records if record["arm"] == arm]
        missing = len(found.cells) - len(have)
        if missing:
            why = reasons.get(arm, reasons.get(arm.rsplit("-", 1)[-1]))
            notes.append(
                f"{arm.upper()}: {missing} of {len(found.cells)} cells not run{f' ({why})' if why else ''}."
            )
        broken = [record for record in have if record["status"] == "failed"]
        if broken:
            notes.append(
                f"{arm.upper()}: {len(broken)} cells failed ({broken[0]['reason']}); run again to retry."
            )
        empty = [record for record in have if record["status"] == "no candidates"]
        if empty:
            default = ", = BANK by default and left out of gains" if arm.startswith("union-") else ""
            notes.append(
                f"{arm.upper()}: no candidates in {len(empty)} cells ({empty[0]['reason']}){default}."
            )
        silent = [record for record in have if record["status"] == "no expression"]
        if silent:
            notes.append(f"{arm.upper()}: no expression in {len(silent)} cells ({silent[0]['reason']}).")
        if arm in GP_METHODS and have:
            notes.append(f"{arm.upper()}: {_budget(made)} a unit; BANK's budget is a number of evaluations.")
        dropped = sum(len(record["proposals"]["dropped"]) for record in have if record.get("proposals"))
        if dropped and arm.startswith("llm-"):
            listed = sum(record["proposals"]["proposed"] for record in have if record.get("proposals"))
            notes.append(
                f"{arm.upper()}: {dropped} of {listed} proposed atoms dropped (reasons in the units)."
            )
    drawn = {record["task"] for record in records if record.get("truth_constants") in ("drawn", "inferred")}
    if drawn:
        notes.append(f"{len(drawn)} tasks have constants drawn or inferred here: not the paper's data.")
    notes.append("SA is the offline verdict 'representable' over the whole domain, not ten votes of a model.")
    return tuple(notes)


def _budget(made: Mapping[str, Any]) -> str:
    budget = made.get("gp", {})
    limit = budget.get("evaluations")
    most = "" if limit is None else f" or {limit} evaluations"
    return f"at most {budget.get('seconds', 0.0):g} s{most} on one thread"


def write_files(made: Report, folder: Path) -> tuple[Path, ...]:
    """Write every table as Parquet and as LaTeX.

    Parameters
    ----------
    made
        Report.
    folder
        Where; ``tables`` below a study's folder by custom.

    Returns
    -------
    tuple of Path
        The files.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for table in made.tables:
        path = folder / f"{table.key}.parquet"
        columns = {head: _typed([row[place] for row in table.rows]) for place, head in enumerate(table.heads)}
        pq.write_table(pa.table(columns), path)
        tex = folder / f"{table.key}.tex"
        tex.write_text(latex(table), encoding="utf-8")
        files += [path, tex]
    return tuple(files)


def latex(table: Table) -> str:
    """Write a table as a LaTeX tabular with its caption.

    Parameters
    ----------
    table
        Table.

    Returns
    -------
    str
    """
    lines = [
        "\\begin{table}",
        f"\\caption{{{_escaped(table.caption)}}}",
        f"\\begin{{tabular}}{{{'l' * len(table.heads)}}}",
        "\\hline",
        " & ".join(_escaped(head) for head in table.heads) + " \\\\",
        "\\hline",
        *(" & ".join(_escaped("" if v is None else str(v)) for v in row) + " \\\\" for row in table.rows),
        "\\hline",
        "\\end{tabular}",
        "\\end{table}",
        "",
    ]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    for mark in "&%_#":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("±", "$\\pm$")


def _typed(values: Sequence[Value]) -> list[str | None] | list[float | None]:
    """Give a column one type: texts if any value is a text."""
    if any(isinstance(value, str) for value in values):
        return [None if value is None else str(value) for value in values]
    return [None if value is None else float(value) for value in values]
