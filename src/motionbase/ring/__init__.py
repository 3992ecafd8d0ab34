"""The shared record of a run: one writer and any number of readers, none of which waits for another."""
