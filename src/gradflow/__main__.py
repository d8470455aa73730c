"""python -m gradflow: the command line without an installed script."""

import sys

# Python puts the current folder first on the path, and a file there may have the name of one of its own modules.
if not sys.flags.safe_path:
    del sys.path[0]

from gradflow.backend.cli import main  # the path comes first

sys.exit(main())
