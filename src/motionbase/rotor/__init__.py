"""Rotors: airfoils, blades, inflow, models that fly, trim, stability, runs. Its page is docs/rotor.md."""
