"""Tuning of cueing parameters over manoeuvres: perceived error against the stroke that is used."""
