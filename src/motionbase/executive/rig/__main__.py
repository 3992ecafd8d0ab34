"""See process.py."""

import sys

from motionbase.executive.rig.process import main

main(sys.argv[1:])
