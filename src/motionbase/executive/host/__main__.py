"""See process.py."""

import sys

from motionbase.executive.host.process import main

main(sys.argv[1:])
