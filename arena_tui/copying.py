"""Copying text out: one clipboard sequence to the terminal, and always a file beside it."""

import base64
import os
from dataclasses import dataclass
from pathlib import Path

from tasks import locations

_FILE = "copied.txt"
# xterm drops longer OSC 52 payloads; others take more. The file has everything in any case.
_LONGEST_SEQUENCE = 74_994


@dataclass(frozen=True, slots=True)
class Copied:
    """Where a copied text went: the file, or None with the reason; whether a sequence was sent."""

    file: Path | None
    sent: bool
    problem: str | None = None

    @property
    def sentence(self) -> str:
        """What can honestly be said: a terminal never tells whether it obeyed."""
        parts = []
        if self.sent:
            parts.append("sent to the terminal's clipboard (not every terminal takes it)")
        if self.file is not None:
            parts.append(f"written to {self.file}")
        if self.problem:
            parts.append(self.problem)
        return "; ".join(parts)


def sequence(text: str) -> str | None:
    """Build the OSC 52 sequence for a text.

    Parameters
    ----------
    text : str
        What to copy.

    Returns
    -------
    str or None
        The control sequence; None when the text is too long for one.
    """
    payload = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return f"\x1b]52;c;{payload}\x07" if len(payload) <= _LONGEST_SEQUENCE else None


def to_file(text: str) -> tuple[Path | None, str | None]:
    """Write a copied text where the user can fetch it.

    Parameters
    ----------
    text : str
        What to copy; its exact letters are written as UTF-8.

    Returns
    -------
    tuple of (pathlib.Path or None) and (str or None)
        The file, and why there is none.
    """
    folder = locations.cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"{_FILE}.{os.getpid()}"
        draft.write_text(text, "utf-8", newline="")
        target = folder / _FILE
        draft.replace(target)
    except OSError as error:
        return None, f"could not write the copy to a file: {error.strerror or error}"
    return target, None
