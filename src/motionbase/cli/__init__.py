"""The command line: one module per group of commands, each a thin call into the package."""
