"""python -m gradflow.backend: the command line without an installed script."""

import sys

from gradflow.backend.cli import main

sys.exit(main())
