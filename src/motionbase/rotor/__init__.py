"""Rotors: airfoils, inflow, hover. Its page is docs/rotor.md."""
