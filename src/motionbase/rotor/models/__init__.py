"""Rotors as models: articulated and gimballed hubs, a rig for ground resonance, all by name or file."""
