"""The fast engine: convex hulls against the table and the trap door's leaf, compiled."""
