"""Wire formats of hosts that command a motion base: our own, the text of a laboratory, those of two makers."""
