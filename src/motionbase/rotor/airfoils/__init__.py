"""Airfoils: tables, C81 files, what separates behind them, unsteady sections."""
