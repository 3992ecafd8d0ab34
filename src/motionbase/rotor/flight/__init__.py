"""Rotors under way: native loops, what they show, periodic loads."""
