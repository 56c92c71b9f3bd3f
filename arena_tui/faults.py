"""Errors that nobody foresaw: in a few words, and with everything in a file."""

import traceback

from tasks import locations


def in_words(error: Exception) -> str:
    """Name an error's kind and what it says.

    Parameters
    ----------
    error : Exception
        Any error.

    Returns
    -------
    str
        One line, as long as the error's own text.
    """
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def write(error: Exception) -> str:
    """Write an error with its traceback into the cache folder.

    Parameters
    ----------
    error : Exception
        Any error.

    Returns
    -------
    str
        The file's path, or why there is none.
    """
    folder = locations.cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / "console-error.txt"
        target.write_text("".join(traceback.format_exception(error)), "utf-8")
    except OSError:
        return "no file: the cache folder cannot be written"
    return str(target)
