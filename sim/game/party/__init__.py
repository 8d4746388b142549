"""Pig Party: eight pigs in four pairs, and cards that picture how the pigs must land.

Source of the rules: the Pig Party rulebook, as described. It does not print its cards; the deck in
sim/game/data is ours. It leaves these points open; decided by us, each held by a test:

* First throw: a player's own first throw at the card in play.
* Pigs lie where they fell until their owner throws again, and all are taken up for a new card.
* If two pigs land in one and the same wanted position and the card wants it once, one stays.
* A card matched is matched, even by pigs on opposite sides. Else opposite sides are a pig out only
  if both pigs were thrown together.
* A Piggyback is an Oinker. An Oinker makes the throw void: it matches nothing, the thrown pigs are
  taken up, every other pig goes back to where it lay, and one that stayed still stays.
* A leaning jowler is missing when every player still in has thrown equally often and none of them
  has one that stays on the table. With no roll card left to cover its card, play goes on.
* If everybody is out, the card goes to the bottom of its deck and the next one is turned up.
* A new card's first throw is that of the player to the left of who threw last.
* A bonus roll wins the highest point card left that is worth no more than the best line reached on
  the scoring card. It belongs to the card claimed: only after it the game may end.
* Players throw in turn: not to throw is no choice. Equal best scores share the win.
* A throw that fails (off the table, not at rest in time) is thrown again, and is no throw.
"""
