"""`python -m motionbase`: the command line."""

import sys

from motionbase.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
