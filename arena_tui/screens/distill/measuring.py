"""Studies of saved selections, one at a time, each in a process of its own; what was measured is kept."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from arena_tui.screens.distill import beside, demand
from arena_tui.screens.distill.solving import Solving, Step

_NO_RESPONSES = "Not measured yet: say where its responses are (e), then m measures."


@dataclass(frozen=True, slots=True)
class Study:
    """One kind of study: its folder beside the manifests; what is said while it runs and before it did."""

    kind: str
    during: str
    before: str = _NO_RESPONSES


COMPARED = Study("compared", "Measuring it and seven other selectors, 100 draws each")
WEIGHED = Study(
    "weighed",
    "Selecting again under other weights",
    "Would other weights of J select other tasks? m finds out: 450 restarts under 15 settings, 5,000 weight "
    "vectors over what they find (tables 10 to 12). It takes minutes, in a process of its own.",
)


class Measuring:
    """Answers what a study found about a selection, or why that is not known yet.

    Parameters
    ----------
    study : Study
        Which.
    ask : callable
        The screen's ``ask``.
    changed : callable
        Called in the loop when something else can be shown.
    """

    def __init__(self, study: Study, ask: Callable[..., None], changed: Callable[[], None]) -> None:
        self._study, self._ask, self._changed = study, ask, changed
        self._phase = ""
        self._found: dict[str, Mapping[str, Any]] = {}
        self._trouble: dict[str, str] = {}
        self._recalled: set[str] = set()
        self._running: tuple[str, Solving, float] | None = None

    @property
    def busy(self) -> bool:
        """Whether something is being measured."""
        return self._running is not None

    def of(self, name: str, document: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
        """Return what was found about a selection, or why there is nothing.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.

        Returns
        -------
        tuple of (mapping or None) and str
            The study's document and an empty text, or None and a sentence.
        """
        found = self._found.get(_key(name, document))
        if found is not None:
            return found, ""
        if self._running is not None and self._running[0] == name:
            seconds = time.monotonic() - self._running[2]
            phase = f", {self._phase}" if self._phase else ""
            return None, f"{self._study.during}: {seconds:.0f} s{phase}   x stops"
        return None, self._trouble.get(name, self._study.before)

    def recall(self, name: str, document: Mapping[str, Any]) -> None:
        """Read what an earlier sitting measured, once.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.
        """
        key = _key(name, document)
        if key in self._recalled:
            return

        def read() -> dict[str, Any] | None:
            from engine.distilling.manifest import kept_study

            return kept_study(self._study.kind, name, document["members"])

        self._ask(read, partial(self._recall_ended, key), topic=f"{self._study.kind} {name}")

    def _recall_ended(self, key: str, found: dict[str, Any] | None) -> None:
        self._recalled.add(key)
        if found is not None:
            self._found[key] = found
        self._changed()

    def want(
        self,
        name: str,
        document: Mapping[str, Any],
        words: Sequence[str],
        enough: Callable[[Mapping[str, Any]], bool],
    ) -> None:
        """Measure a selection unless that is done, under way or failed.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.
        words : sequence of str
            The command that measures it; without any it cannot be measured.
        enough : callable
            Says whether what was found before will do.
        """
        key = _key(name, document)
        held = self._found.get(key)
        if (held is not None and enough(held)) or name in self._trouble or not words:
            return
        if self._running is not None or key not in self._recalled:
            # `changed` is called when either has ended; what is wanted by then is asked for again.
            return
        child = Solving(words)
        self._running, self._phase = (name, child, time.monotonic()), ""
        self._ask(
            lambda: child.run(self._told),
            partial(self._ended, name, key),
            topic=f"measure {self._study.kind}",
            failed=partial(self._failed, name),
        )

    def _told(self, step: Step) -> None:
        # From the reading thread; one reference is put in the place of another.
        self._phase = step.phase

    def _ended(self, name: str, key: str, found: Mapping[str, Any]) -> None:
        self._trouble.pop(name, None)
        self._found[key] = found
        self._go_on()

    def _failed(self, name: str, error: Exception) -> None:
        self._trouble[name] = f"Not measured: {error}. m tries again."
        self._go_on()

    def _go_on(self) -> None:
        self._running = None
        self._changed()

    def forget(self, name: str) -> None:
        """Measure a selection anew when it is wanted next.

        Parameters
        ----------
        name : str
            Of the selection.
        """
        self._trouble.pop(name, None)
        self._found = {key: held for key, held in self._found.items() if not key.startswith(f"{name}\n")}

    def stop(self) -> None:
        """End the process that measures."""
        if self._running is not None:
            self._running[1].stop()


class Studies:
    """Both studies of the screen: beside other selections, and under other weights.

    Parameters
    ----------
    ask, changed : callable
        As for `Measuring`.
    """

    def __init__(self, ask: Callable[..., None], changed: Callable[[], None]) -> None:
        self.comparing = Measuring(COMPARED, ask, changed)
        self.weighing = Measuring(WEIGHED, ask, changed)

    @property
    def busy(self) -> bool:
        """Whether one is under way."""
        return self.comparing.busy or self.weighing.busy

    def recall(self, name: str, document: Mapping[str, Any]) -> None:
        """Read what was measured before about a selection."""
        self.comparing.recall(name, document)
        self.weighing.recall(name, document)

    def compare(self, name: str, document: Mapping[str, Any], place: str, others: Sequence[str]) -> None:
        """Put a selection beside others, unless that was done.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.
        place : str
            Where responses are, when its own are no longer there.
        others : sequence of str
            The others, with ``@``.
        """
        more = [word for other in others for word in ("--with", other)]
        words = demand.study_words("compare", name, document, place, more)
        self.comparing.want(name, document, words, partial(beside.covers, others=others))

    def comparison(self, name: str, document: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
        """Return how a selection compares and on whose responses, or None and why.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.

        Returns
        -------
        tuple of (mapping or None) and str
            As `Measuring.of`, with ``foreign``.
        """
        found, why = self.comparing.of(name, document)
        return (None if found is None else demand.with_origin(found, document)), why

    def weigh(self, name: str, document: Mapping[str, Any], place: str) -> None:
        """Select again under other weights.

        Parameters
        ----------
        name : str
            Of the selection.
        document : mapping
            Its manifest.
        place : str
            Where responses are, when its own are no longer there.
        """
        if not self.weighing.busy:
            self.weighing.forget(name)
            more = ["--size", str(len(document["members"])), "--progress"]
            words = demand.study_words("sensitivity", name, document, place, more)
            self.weighing.want(name, document, words, lambda _found: True)

    def forget(self, name: str) -> None:
        """Drop what is known about a selection of this name."""
        self.comparing.forget(name)
        self.weighing.forget(name)

    def stop(self) -> None:
        """End what is under way."""
        self.comparing.stop()
        self.weighing.stop()


def _key(name: str, document: Mapping[str, Any]) -> str:
    """Tell a selection from a later one of the same name."""
    return f"{name}\n{document.get('members_sha256', '')}"
