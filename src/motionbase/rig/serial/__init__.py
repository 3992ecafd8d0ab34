"""Controllers of do-it-yourself rigs on serial lines: SMC3 boards and ESP32 text, and simulated ones."""
