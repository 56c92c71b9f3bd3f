"""Merging campaigns: the runs of one are copied into another, and its grid is appended."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import EngineError
from engine.running import layout, spec_file, store
from engine.running.lease import Lease
from engine.running.reader import attempts, read_campaign
from engine.running.spec import Block, CampaignSpec, MethodEntry, check


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did: runs copied, runs that were there already, and labels that were renamed."""

    copied: tuple[str, ...]
    present: tuple[str, ...]
    labels: tuple[tuple[str, str], ...]


def merge(source: Path, target: Path) -> Merged:
    """Copy the runs of one campaign into another.

    Parameters
    ----------
    source : pathlib.Path
        The campaign to copy from; it is only read.
    target : pathlib.Path
        The campaign to copy into; its own runs are left as they are.

    Returns
    -------
    Merged
        What was done. A label that both have with different methods, settings, threads or limits is renamed
        to ``LABEL-2`` (or the next free number).

    Raises
    ------
    EngineError
        When budgets, intervals or other limits differ, a campaign has a live engine, a run of both has
        different results, or the disk is full.
    """
    if source.resolve() == target.resolve():
        raise EngineError(f"{source} cannot be merged into itself")
    old, other = spec_file.read(target), spec_file.read(source)
    _refuse_different(old, other, source, target)
    renamed = _labels(old, other)
    new = check(_joined(old, other, renamed))
    locks = [Lease(source), Lease(target)]
    taken: list[Lease] = []
    try:
        for lock in locks:
            lock.take()
            taken.append(lock)
        copied, present = _copy(source, target, renamed)
        spec_file.extend(target, new)
    except OSError as error:
        raise EngineError(store.disk_sentence(target, error)) from error
    finally:
        for lock in taken:
            lock.release()
    changed = tuple((label, name) for label, name in renamed.items() if label != name)
    return Merged(copied, present, changed)


def _refuse_different(old: CampaignSpec, other: CampaignSpec, source: Path, target: Path) -> None:
    for name in ("budget_s", "interval_s", "grace_s", "memory_bytes"):
        mine, theirs = getattr(old.limits, name), getattr(other.limits, name)
        if mine != theirs:
            raise EngineError(
                f"{source} and {target} cannot be merged: their {name} differ ({theirs} and {mine})"
            )
    if old.semantics != other.semantics:
        raise EngineError(
            f"{source} and {target} cannot be merged: only one tells methods the variables' names"
        )


def _labels(old: CampaignSpec, other: CampaignSpec) -> dict[str, str]:
    taken = {entry.label: entry for entry in old.methods}
    renamed = {}
    for entry in other.methods:
        name, number = entry.label, 1
        while name in taken and not _same(taken[name], entry):
            number += 1
            name = f"{entry.label}-{number}"
        taken.setdefault(name, replace(entry, label=name))
        renamed[entry.label] = name
    return renamed


def _same(one: MethodEntry, two: MethodEntry) -> bool:
    return replace(one, label="", seeds=None) == replace(two, label="", seeds=None)


def _joined(old: CampaignSpec, other: CampaignSpec, renamed: dict[str, str]) -> CampaignSpec:
    known = set(old.labels)
    added = tuple(
        replace(entry, label=renamed[entry.label])
        for entry in other.methods
        if renamed[entry.label] not in known
    )
    blocks = tuple(block for block in _blocks(other, renamed))
    joined = replace(old, methods=(*old.methods, *added), blocks=(*old.blocks, *blocks))
    return old if set(joined.grid()) == set(old.grid()) and not added else joined


def _blocks(other: CampaignSpec, renamed: dict[str, str]) -> list[Block]:
    blocks = []
    for block in other.blocks:
        if block.seeds is not None:
            blocks.append(replace(block, labels=tuple(renamed[label] for label in block.labels)))
            continue
        # A label may have other seeds of its own in the target: they are stated here, block by block.
        by_seeds: dict[tuple[int, ...], list[str]] = {}
        for label in block.labels:
            by_seeds.setdefault(other.method(label).seeds or (), []).append(renamed[label])
        blocks += [
            replace(block, labels=tuple(labels), seeds=seeds) for seeds, labels in by_seeds.items() if seeds
        ]
    return blocks


def _copy(source: Path, target: Path, renamed: dict[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from engine.running import segments

    copied, present = [], []
    for folder in sorted((source / layout.DATA).glob("*")):
        if not (target / layout.DATA / folder.name).exists():
            shutil.copytree(folder, target / layout.DATA / folder.name)
    for run in read_campaign(source).runs:
        if run.attempt == 0:
            continue
        key = replace(run.key, label=renamed[run.key.label])
        goal = layout.run_folder(target, key)
        if attempts(target, key):
            present.append(key.id)
            continue
        goal.parent.mkdir(parents=True, exist_ok=True)
        temporary = goal.with_name(f".{goal.name}.merging")
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.copytree(layout.run_folder(source, run.key), temporary, symlinks=True)
        if run.segment is not None:
            segments.unpack(run, temporary / f"attempt-{run.attempt}")
        if key != run.key:
            _relabel(temporary, key.label, key.id)
        temporary.rename(goal)
        copied.append(key.id)
    return tuple(copied), tuple(present)


def _relabel(folder: Path, label: str, identifier: str) -> None:
    for attempt in folder.glob("attempt-*"):
        for name in (layout.RESULT, layout.REQUEST):
            record = store.read_record(attempt / name)
            if record is None:
                continue
            record["run"] = identifier
            if "label" in record:
                record["label"] = label
            store.write_whole(attempt / name, store.dump(record))
