"""Throws one can see: filmed once, shown in a window, a picture, a film, a page or the browser."""
