"""Stage: dynamics of the sphere of an Atlas platform on its wheels; its page is atlas.md."""
