"""Rotors as runs in real time take them: settings, channels, stabiliser, a tail rotor beside them."""
