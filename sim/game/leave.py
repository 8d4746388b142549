"""The ways out of an unfinished game, each of which saves it."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sim.game.saved import SavedGame, SaveFile
from sim.game.terminal import Left, Terminal
from sim.refusal import INTERRUPTED, Refusal, plain_words

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def play_until_left(
    terminal: Terminal,
    run: Callable[[], None],
    record: Callable[[], SavedGame | None],
    place: SaveFile,
) -> None:
    """Play until the game is over or cannot go on; then save what is unfinished.

    Args:
        terminal: Where it is said.
        run: Plays on.
        record: Gives the game as it stands, or None if nothing was thrown.
        place: Where to save.

    Raises:
        Refusal: If the game was interrupted, or the system refused something.
    """
    try:
        return run()
    except Left as left:
        reason, status = str(left), 0
    except KeyboardInterrupt:
        reason, status = "interrupted", INTERRUPTED
    except BrokenPipeError:
        reason, status = "nobody reads the output", 2
    except OSError as error:
        reason, status = f"the system refused: {plain_words(error)}", 2
    except ValueError as error:
        reason, status = str(error), 2
    with _undisturbed():
        end = f"{reason}: {_keep(record(), place)}"
    if status:
        raise Refusal(end, status)
    return terminal.say(end)


def _keep(saved: SavedGame | None, place: SaveFile) -> str:
    if saved is None:
        return "nothing was thrown yet, so nothing is saved"
    path = shlex.quote(str(place.write(saved)))
    return f"the game is saved, go on with: pigs play --resume {path}"


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let no second Ctrl-C end the saving."""
    before = [signal.signal(number, signal.SIG_IGN) for number in _ENDINGS]
    try:
        yield
    finally:
        for number, handler in zip(_ENDINGS, before, strict=True):
            signal.signal(number, handler)
