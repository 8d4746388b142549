"""What a throw came to, and a tally of throws beside the published table, in words."""

from __future__ import annotations

from sim.game.score import Score, score
from sim.published import KERN_2006
from sim.rest import AT_REST
from sim.summary import SCORED_PIGS, Summary, worst_touch
from sim.text_table import format_table, percent
from sim.throw import Landings
from sim.watch.film import Film
from sim.watch.stage import pig_name
from sim.words import plain

_FAILURES = {
    "timed_out": "did not come to rest in time",
    "escaped": "left the table",
    "diverged": "was lost by the engine",
}


def pig_lines(landing: Landings) -> list[str]:
    """Say of each pig of one throw how it lies."""
    return [
        f"{pig_name(pig)}: {plain(position)}"
        for pig, position in enumerate(landing.position[0].tolist())
    ]


def throw_score(landing: Landings) -> Score | None:
    """Score one throw by the rulebook; None if it has not two pigs."""
    if landing.position.shape[1] != SCORED_PIGS:
        return None
    first, second = landing.position[0].tolist()
    return score(first, second, str(worst_touch(landing.touch)[0]))


def score_line(landing: Landings) -> str:
    """Say in one line what one throw scores, or how it failed."""
    status = str(landing.status[0])
    if status != AT_REST:
        return f"the throw {_FAILURES[status]}"
    worth = throw_score(landing)
    if worth is None:
        return f"{landing.position.shape[1]} pigs: no score"
    points = _counted(worth.points, "point")
    effect = "" if worth.effect == "none" else f", {plain(worth.effect)}"
    return f"{plain(worth.name)}: {points}{effect}"


def outcome_lines(film: Film) -> list[str]:
    """Say how the pigs lie, what they score, and what else must be said of a film."""
    lines = [*pig_lines(film.landing), score_line(film.landing), film.note]
    return [line for line in lines if line]


def tally_rows(summary: Summary) -> list[tuple[str, str, str, str]]:
    """Count positions and touching throws: name, count, share, published share."""
    rows = [
        (
            plain(position),
            f"{count:,}",
            percent(summary.share(position)),
            percent(KERN_2006.share(position) if position in KERN_2006.counts else None),
        )
        for position, count in summary.positions.items()
    ]
    touching = summary.touching / summary.throws if summary.throws else None
    published = percent(KERN_2006.touching_share())
    return [*rows, ("touching throws", f"{summary.touching:,}", percent(touching), published)]


TALLY_HEADER = ("position", "pigs", "share", "published")


def points_line(summary: Summary) -> str:
    """Say how many throws there are and what they score, if they are of two pigs."""
    throws = _counted(summary.throws, "throw")
    if summary.mean_points is None:
        return throws
    points = _counted(summary.points, "point")
    return f"{throws}, {points}, {summary.mean_points:.2f} a throw"


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"


def tally_text(summary: Summary) -> str:
    """Write the tally as a table of plain text."""
    return f"{format_table(TALLY_HEADER, tally_rows(summary))}\n{points_line(summary)}"
