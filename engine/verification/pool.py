"""Checks a pool of tasks against what is declared about it: ids, counts per family, sets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Declared:
    """What a manifest says: the ids, the number of tasks in each family, the total, and named sets of ids."""

    ids: tuple[str, ...]
    families: Mapping[str, int] = field(default_factory=dict)
    total: int | None = None
    sets: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    """Name of a set to its declared size and its ids."""


def disagreements(declared: Declared, present: Sequence[tuple[str, str]]) -> list[str]:
    """Compare a pool with its manifest.

    Parameters
    ----------
    declared : Declared
        The manifest.
    present : sequence of (id, family)
        The tasks that are really there.

    Returns
    -------
    list of str
        One sentence per disagreement: which id is missing, unlisted or doubled, which family is off by how
        much, which set has the wrong size. Empty when all agrees.
    """
    ids = Counter(identifier for identifier, _ in present)
    listed = Counter(declared.ids)
    lines = [f"{name} is listed {count} times" for name, count in sorted(listed.items()) if count > 1]
    lines += [f"{name} is present {count} times" for name, count in sorted(ids.items()) if count > 1]
    lines += [f"{name} is listed but missing" for name in sorted(set(listed) - set(ids))]
    lines += [f"{name} is present but not listed" for name in sorted(set(ids) - set(listed))]
    if declared.total is not None and declared.total != sum(ids.values()):
        lines.append(f"{declared.total} tasks are declared and {sum(ids.values())} are present")
    families = Counter(family for _, family in present)
    for family, count in declared.families.items():
        off = families.get(family, 0) - count
        if off:
            lines.append(
                f"the family {family} has {families.get(family, 0)} tasks, {off:+d} against {count} declared"
            )
    if declared.families and declared.total not in (None, sum(declared.families.values())):
        lines.append(f"the families add up to {sum(declared.families.values())}, not to {declared.total}")
    for name, (size, members) in declared.sets.items():
        counts = Counter(members)
        doubled = [identifier for identifier, count in sorted(counts.items()) if count > 1]
        lines += [f"the set {name} holds {identifier} {counts[identifier]} times" for identifier in doubled]
        if len(counts) != size:
            lines.append(f"the set {name} holds {len(counts)} distinct tasks, not {size}")
        lines += [
            f"the set {name} holds {identifier}, which is not in the pool"
            for identifier in sorted(set(counts) - set(ids))
        ]
    return lines
