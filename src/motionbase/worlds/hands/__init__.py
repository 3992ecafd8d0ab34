"""Devices that steer a world's vehicle, and how their state becomes controls."""
