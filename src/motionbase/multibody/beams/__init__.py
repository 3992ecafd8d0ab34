"""Geometrically exact beams as chains of bodies: lines, sections with mass, and the builder."""

from motionbase.multibody.beams.chain import Chain, beam_chain
from motionbase.multibody.beams.line import Line, arc, straight, through
from motionbase.multibody.beams.profile import Profile

__all__ = ["Chain", "Line", "Profile", "arc", "beam_chain", "straight", "through"]
