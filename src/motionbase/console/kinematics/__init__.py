"""What legs, joints and parts of a ring's platform do: watched beside the live data, and asked for by pose."""
