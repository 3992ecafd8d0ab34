"""Stage: actuators of real machines, and simulations of them, behind one border."""
