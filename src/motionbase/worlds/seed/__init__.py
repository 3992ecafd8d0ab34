"""The simple mode of the boat, in closed form: wave and boat of a published university motion platform."""
