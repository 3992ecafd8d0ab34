"""Aircraft flown by JSBSim: controls, autopilot and scripts, air, ground and vibration; its page is flight.md."""
