"""The words that everybody shares, each said once: channels, states, faults, requests, generators, parameters, axes."""
