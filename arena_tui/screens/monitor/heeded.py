"""What the engine that runs a campaign has been asked and has heeded: a drain, planned runs taken off."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import EngineError
from engine.running import control, layout, store


@dataclass(frozen=True, slots=True)
class Heeded:
    """Whether nothing new is started any more, and which planned runs were taken off this engine's list."""

    draining: bool = False
    dropped: frozenset[str] = frozenset()


@dataclass(slots=True)
class Orders:
    """Reads the answers in a campaign's spool; each file once.

    An engine that starts later begins afresh: what was dropped before is planned again.
    """

    folder: Path
    _engine: object = None
    _since: str = ""
    _seen: dict[str, Mapping[str, object]] = field(default_factory=dict)

    def look(self, owner: Mapping[str, object] | None) -> Heeded:
        """Read what is new. Blocks; call it beside the event loop.

        Parameters
        ----------
        owner : mapping or None
            The lease of the campaign's live engine.

        Returns
        -------
        Heeded
            Nothing when no engine lives.
        """
        if owner is None:
            return Heeded()
        engine = (owner.get("host"), owner.get("pid"), owner.get("started"))
        if engine != self._engine:
            self._engine = engine
            self._since = _started(self.folder / f"events-{engine[0]}-{engine[1]}.jsonl")
        draining, dropped = False, set[str]()
        for answer in self._answers():
            if str(answer.get("at", "")) < self._since:
                continue
            applied = answer.get("applied")
            runs = {str(run) for run in applied} if isinstance(applied, list) else set()
            if answer.get("action") == control.DRAIN:
                draining = True
            elif answer.get("action") == control.STOP:
                dropped |= runs
            else:
                dropped -= runs
        return Heeded(draining, frozenset(dropped))

    def _answers(self) -> list[Mapping[str, object]]:
        folder = self.folder / layout.ACKNOWLEDGEMENTS
        try:
            # Names begin with the time of the request.
            names = sorted(path.name for path in folder.iterdir() if path.suffix == ".json")
        except OSError:
            return []
        for name in names:
            if name not in self._seen:
                try:
                    found = store.read_record(folder / name)
                except EngineError:
                    continue
                if found is not None:
                    self._seen[name] = found
        return [self._seen[name] for name in names if name in self._seen]


def _started(journal: Path) -> str:
    """Find when an engine last began in its journal; an empty text when it does not say."""
    since = ""
    try:
        with journal.open(encoding="utf-8") as lines:
            for line in lines:
                if '"engine-started"' in line:
                    since = str(json.loads(line).get("at", ""))
    except (OSError, ValueError):
        return since
    return since
