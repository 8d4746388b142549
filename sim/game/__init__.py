"""The rules of the game, as pure functions of landings."""
