"""Drives of the profile CiA 402 on EtherCAT."""
