"""A rig under a base: a process that moves its legs, one that oversees it, and one that plays a simulated machine."""
