"""The sea: spectra, sea states, waves as components, wakes of other craft, and the water around a vessel as code."""
