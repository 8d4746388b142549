"""What a pig is: named convex parts, hull, watertight surface, mass distribution, stable poses."""
