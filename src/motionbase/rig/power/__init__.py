"""Hydraulic power units over Modbus: register maps as data, limits, a thread that polls, and a simulated unit."""
