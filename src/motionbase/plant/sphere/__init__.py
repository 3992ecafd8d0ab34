"""Stage: the sphere of an Atlas platform on its wheels, in dynamics; its page is atlas.md."""
