"""From counts of landings to the mass distribution behind them, and back to evidence."""
