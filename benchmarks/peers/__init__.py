"""Other people's code on the same work, run natively and fairly."""
