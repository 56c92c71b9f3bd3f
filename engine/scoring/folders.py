"""Takes this machine's folders out of what is published."""

import re

# An absolute path; not the tail of a URL, of a quotient or of a relative path.
_PATH = re.compile(r"""(?<![\w.:/)\]])/(?:[^\s/'",]+/)+(?=[^\s/'",])""")


def without_folders(text: str) -> str:
    """Leave of every absolute path only its last part.

    Parameters
    ----------
    text : str
        A setting, or a whole spec file.

    Returns
    -------
    str
        ``python3 /home/me/search.py {csv}`` becomes ``python3 search.py {csv}``; URLs stay.
    """
    return _PATH.sub("", text)
