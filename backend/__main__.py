"""python -m backend: the command line without an installed script."""

import sys

from backend.cli import main

sys.exit(main())
