"""The stages composed: control law and plant as one step."""
