"""The script a worker is started by: lies at the root of a bundle, puts that root first on the path."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from adapters.worker import main

    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # A method's own threads or exit hooks must not hold a finished run.
    os._exit(code)
