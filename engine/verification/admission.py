"""Admits imported tasks: verifies them, keeps what holds, marks what is disputed, refuses the rest."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.verification import pool, replay
from engine.verification.report import DISPUTED, FAILED, OK, Report, sentence
from engine.verification.verify import verify_rows
from tasks import catalogue, imported
from tasks.errors import TaskError
from tasks.importing.found import Found
from tasks.schema import Splits, Task

MANIFESTS = ("manifest.json", "manifest.yaml", "manifest.yml")
WARNED, REFUSED, UNLISTED, MISSING = "warned", "refused", "unlisted", "missing"


@dataclass(frozen=True, slots=True)
class Admission:
    """What became of one task that an importer found.

    ``status`` is ``ok``, ``warned`` (kept, with something to know), ``disputed`` (kept out of every set: its
    formula does not make its data), ``failed`` (not kept), ``refused`` (could not be read), ``unlisted`` (not
    in the pool's manifest, not kept) or ``missing`` (in the manifest, not on disk). ``replaces`` names the
    catalogue task whose rows the import replaces.
    """

    name: str
    place: str
    status: str
    id: str | None
    replaces: str | None
    notes: tuple[str, ...]
    report: Report | None

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "name": self.name,
            "place": self.place,
            "status": self.status,
            "id": self.id,
            "replaces": self.replaces,
            "notes": list(self.notes),
            "report": None if self.report is None else self.report.as_json(),
        }


def counterpart(task: Task) -> Task:
    """Return the catalogue task that an imported one is the official data of.

    Parameters
    ----------
    task : Task
        An imported task.

    Returns
    -------
    Task
        The task with the declared dataset id, or else the same name and subgroup.

    Raises
    ------
    TaskError
        When there is none, or when it has other columns.
    """
    declared = task.recipe.get("dataset_id")
    own = [
        candidate
        for candidate in catalogue.regenerated()
        if candidate.id == declared
        or (candidate.name.casefold() == task.name.casefold() and candidate.subgroup == task.subgroup)
    ]
    if len(own) != 1:
        raise TaskError(
            f"{task.name} ({task.subgroup}) matches {len(own)} tasks of the Full Task Set, so it cannot "
            "stand in for one; import it without --official"
        )
    here, there = (*task.feature_names, task.target.name), (*own[0].feature_names, own[0].target.name)
    if here != there:
        raise TaskError(
            f"{task.name} has the columns {', '.join(here)}, but {own[0].id} has {', '.join(there)}, so it "
            "cannot stand in for it"
        )
    return own[0]


def _official(task: Task) -> Task:
    own = counterpart(task)
    return replace(
        task,
        id=own.id,
        name=own.name,
        family=own.family,
        subgroup=own.subgroup,
        duplicate_group=own.duplicate_group,
        source_formula=task.source_formula or own.source_formula,
    )


def _own(task: Task) -> Task:
    return next(candidate for candidate in catalogue.regenerated() if candidate.id == task.id)


def _with_our_formula(task: Task, splits: Splits) -> tuple[Task, Report]:
    """Return an official task with the catalogue's ground truth in place of its own, and its verification."""
    own = _own(task)
    facts = replace(
        task.provenance,
        formula=own.provenance.formula,
        constants=own.provenance.constants,
        note=own.provenance.note,
    )
    ours = replace(task, formula=own.formula, constants=own.constants, provenance=facts)
    return ours, verify_rows(ours, splits)


def _one(found: Found, *, official: bool, keep: bool, listed: bool) -> Admission:
    if found.task is None or found.splits is None:
        return Admission(found.name, found.place, REFUSED, None, None, (str(found.error),), None)
    task, splits = found.task, found.splits
    try:
        task = _official(task) if official else task
    except TaskError as error:
        return Admission(found.name, found.place, REFUSED, None, None, (str(error),), None)
    told = list(found.notes)
    if official and "residual" in _own(task).recipe and task.formula is not None:
        task = replace(task, recipe={**task.recipe, "residual": replay.deviation(task, splits)})
        told.append("measurements: the formula is a nominal law, its deviation from these rows is recorded")
    report = verify_rows(task, splits)
    if official and "residual" not in task.recipe:
        # a release spells its formulas with helper code and keeps some that do not make its rows
        ours, ours_report = _with_our_formula(task, splits)
        if ours_report.status == OK:
            if task.formula is None or report.status == DISPUTED:
                told.append("the ground truth is ours: the release has none that makes its rows")
            task, report = ours, ours_report
    notes = (*told, *(sentence(finding) for finding in (*report.faults, *report.warnings)))
    if not listed:
        notes = (*notes, "not in the pool's manifest, so it is not kept")
        return Admission(task.name, found.place, UNLISTED, None, None, notes, report)
    if report.status == FAILED:
        return Admission(task.name, found.place, FAILED, None, None, notes, report)
    status = WARNED if report.status == OK and report.warnings else report.status
    if report.status == DISPUTED:
        task = replace(task, disputed="; ".join(sentence(fault) for fault in report.faults))
    if keep:
        task = imported.save(task, splits)
    return Admission(task.name, found.place, status, task.id, task.id if official else None, notes, report)


def admit(
    everything: Sequence[Found],
    *,
    official: bool = False,
    keep: bool = True,
    declared: pool.Declared | None = None,
) -> tuple[Admission, ...]:
    """Verify what an importer found and store what holds.

    Parameters
    ----------
    everything : sequence of Found
        From an importer.
    official : bool
        Whether the tasks are official data that take the place of the regenerated rows of catalogue tasks.
    keep : bool
        Whether to store the tasks; without, they are only verified.
    declared : pool.Declared, optional
        The pool's manifest; tasks that it does not list are not kept.

    Returns
    -------
    tuple of Admission
        One per task found, in order, then one per task that the manifest lists and nobody found.
    """
    admissions = [
        _one(
            found,
            official=official,
            keep=keep,
            listed=declared is None or _listed_as(found, declared) is not None,
        )
        for found in everything
    ]
    if declared is not None:
        present = {_listed_as(found, declared) for found in everything}
        absent = [name for name in dict.fromkeys(declared.ids) if name not in present]
        note = ("listed in the pool's manifest, but not on disk",)
        admissions += [Admission(name, name, MISSING, None, None, note, None) for name in absent]
    return tuple(admissions)


def _listed_as(found: Found, declared: pool.Declared) -> str | None:
    """Return the manifest's id of a task: its declared dataset id, its name or its folder's name."""
    recorded = found.task.recipe.get("dataset_id") if found.task else None
    return next((name for name in (recorded, found.name, found.place) if name in declared.ids), None)


def sound(admissions: Sequence[Admission]) -> bool:
    """Return whether every task was admitted without dispute."""
    return all(admission.status in (OK, WARNED) for admission in admissions)


def manifest_of(folder: Path) -> pool.Declared | None:
    """Read a pool's manifest: ``tasks`` (ids, or mappings with one), ``families``, ``total``, ``sets``.

    Returns
    -------
    pool.Declared or None
        ``None`` when the folder has no manifest.

    Raises
    ------
    TaskError
        When the manifest cannot be read.
    """
    import yaml

    path = next((folder / name for name in MANIFESTS if (folder / name).is_file()), None)
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
        listed = [entry["id"] if isinstance(entry, Mapping) else entry for entry in content["tasks"]]
        sets = {
            str(name): (int(entry["size"]), tuple(map(str, entry["tasks"])))
            for name, entry in (content.get("sets") or {}).items()
        }
        families = {str(name): int(count) for name, count in (content.get("families") or {}).items()}
        total = content.get("total")
        return pool.Declared(tuple(map(str, listed)), families, None if total is None else int(total), sets)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise TaskError(f"{path} is no manifest with a list of tasks: {error!r}") from error


def against_manifest(declared: pool.Declared, everything: Sequence[Found]) -> list[str]:
    """Compare the tasks found in a pool with its manifest: ids, counts per family, total and sets."""
    present = []
    for found in everything:
        family = found.task.family if found.task else "unreadable"
        present.append((_listed_as(found, declared) or found.place, family))
    return pool.disagreements(declared, present)
