"""The tree formulation (minimal coordinates): one recursion from the outermost body to the base."""
