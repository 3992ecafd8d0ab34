"""Vocabulary of all packages, each word defined once: channels, states, faults, requests, generators, axes."""
