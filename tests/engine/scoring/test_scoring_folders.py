"""What an export says of this machine's folders: nothing."""

import pytest

from engine.scoring.folders import without_folders


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("python3 /home/me/my-work/search.py {csv}", "python3 search.py {csv}"),
        ("command = \"/opt/run '/home/me/a.jl'\"", "command = \"run 'a.jl'\""),
        ("base_url = 'http://127.0.0.1:80/v1/x'", "base_url = 'http://127.0.0.1:80/v1/x'"),
        ("tools/run/this and a/b/c and (x)/y/z", "tools/run/this and a/b/c and (x)/y/z"),
    ],
)
def test_a_path_keeps_its_last_part_only(text, published):
    assert without_folders(text) == published
