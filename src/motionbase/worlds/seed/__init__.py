"""The wave and the boat of a published platform at a university: a simple mode of the boat, in closed form."""
