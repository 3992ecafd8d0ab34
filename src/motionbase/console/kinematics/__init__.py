"""Kinematics of a ring's platform: legs, joints and clearances of live and of requested poses."""
