"""See process.py."""

import sys

from motionbase.executive.predictive.process import main

main(sys.argv[1:])
