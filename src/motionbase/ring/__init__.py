"""The shared record of a run: one writer, any number of readers, nobody waits."""
