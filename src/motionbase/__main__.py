"""`python -m motionbase`: the command line."""

import sys

from motionbase.interpreter import leave_out_current_folder

if __name__ == "__main__":
    leave_out_current_folder()
    from motionbase.cli.main import main

    sys.exit(main())
