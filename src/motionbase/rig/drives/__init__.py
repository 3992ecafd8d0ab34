"""Electric drives on a CAN bus: CiA 402 in cyclic synchronous position mode, and simulated drives."""
