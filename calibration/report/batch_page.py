"""A batch's report as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.report.cells import (
    angle,
    count,
    decimal,
    p_text,
    share,
    share_range,
    text,
    word,
)
from calibration.report.landing_sections import (
    beside_published,
    condition_section,
    pair_section,
    position_section,
    score_section,
)
from calibration.report.page import Cell, Gallery, Page, Picture, Section, Table
from calibration.report.place_sections import place_section, time_section
from calibration.report.pose_section import pose_section
from calibration.report.rare import NEAR
from calibration.report.run import command
from calibration.report.words import pigs_in_words, short_name, throws_in_words
from sim.batch_directory import flat
from sim.position import OTHER

Pictures = Mapping[str, Sequence[Picture]]
"""Pictures by the reason for which they were chosen."""

_RENDERED = (
    "Rendered from the recorded poses. To see a throw again: pigs watch, the batch's directory, "
    "--throw and its number."
)

_GALLERIES = {
    "other": "In none of the rulebook's positions",
    "near": "Near the border of their position",
    "touching": "Touching",
    "example": "Typical of their position",
    "pose": "One in each of the most frequent poses",
}


def batch_page(report: dict[str, Any], pictures: Pictures, note: str | None) -> Page:
    """Lay a batch's report out.

    Args:
        report: As `batch_report` gives it.
        pictures: Rendered.
        note: Why there are no pictures, if there are none.
    """
    run, poses = report["run"], report["poses"]
    sections = [
        position_section(report) if poses is None else pose_section(poses),
        picture_section(report, pictures, note),
        ending_section(report),
        pair_section(report["two_pigs"]),
        score_section(report["scores"]),
        condition_section(report["conditions"]) if poses is None else None,
        time_section(report["rest_time"]),
        place_section(report["resting_places"]),
        source_section(report),
    ]
    return Page(
        title=f"{throws_in_words(run['throws'])} of {pigs_in_words(run['pigs'])}",
        subtitle=run_words(run),
        tiles=_tiles(report),
        sections=[section for section in sections if section is not None],
        data=report,
        notes=unlike_notes([("This batch", run)]) if poses is None else [],
    )


def unlike_notes(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Say of batches, given by their names, if they were not thrown as the published pigs were."""
    unlike = [
        f"{name} was thrown otherwise: {', '.join(run['unlike_published'])}"
        for name, run in runs
        if run["unlike_published"]
    ]
    if not unlike:
        return []
    return [
        "The published pigs fell two at a time from a trap door, from 5 and 8 inches. "
        f"{'. '.join(unlike)}. What differs from the published table may come from that."
    ]


def run_words(run: Mapping[str, Any]) -> str:
    """Say what a batch was thrown with."""
    planned = ""
    if run["throws"] != run["planned_throws"]:
        planned = f"; unfinished, {run['throws']:,} of {run['planned_throws']:,} throws"
    return (
        f"pig {short_name(run['pig'])}, device {run['device']}, engine {run['engine']}, "
        f"seed {run['seed']}{planned}"
    )


def _tiles(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = {row["status"]: row["throws"] for row in report["status"]}
    failed = sum(throws for status, throws in rows.items() if status != "at_rest")
    fit, scores = report["goodness_of_fit"], report["scores"]
    return [
        ("pigs counted", f"{report['counted_pigs']:,}"),
        *([("p beside the published table", p_text(fit))] if fit else []),
        ("throws touching", share(report["touching"][-1]["share"]).text),
        ("throws that failed", f"{failed:,}"),
        *([("points a throw", decimal(scores["mean_points"], 3).text)] if scores else []),
        *([("resting poses", str(len(report["poses"]["rows"])))] if report["poses"] else []),
    ]


def picture_section(
    report: Mapping[str, Any], pictures: Pictures, note: str | None
) -> Section | None:
    """Show pigs as they lay, the doubtful ones first."""
    galleries = [
        Gallery(title, pictures[reason])
        for reason, title in _GALLERIES.items()
        if pictures.get(reason)
    ]
    if note is None and not galleries:
        return None
    words = [note] if note else [_RENDERED]
    if any(one["reason"] in ("other", "near") for one in report["pictures"]) and not note:
        words.append("The doubtful ones come first, since that is where a name could be wrong.")
    words += _border_words(report)
    if not report["margins"]:
        return Section("As they lay", "pictures", words, galleries=galleries)
    table = Table(
        "Margin: how much nearer a pig lies to its own stable pose than to any pose of another "
        "position",
        ("position", "pigs", "smallest", "median", "smallest in throw", "pig"),
        [
            (
                word(row["position"]),
                count(row["pigs"]),
                angle(row["smallest"]),
                angle(row["median"]),
                count(row["throw"]),
                count(row["pig"]),
            )
            for row in report["margins"]
        ],
    )
    return Section("As they lay", "pictures", words, tables=[table], galleries=galleries)


def _border_words(report: Mapping[str, Any]) -> list[str]:
    """Say that no pig is near the border of its position, if that is so."""
    margins = [row["smallest"] for row in report["margins"] if row["position"] != OTHER]
    if not margins or min(margins) < NEAR:
        return []
    return [
        "No pig in a named position is near the border of it: the smallest margin is "
        f"{angle(min(margins)).text}, and one below {angle(NEAR).text} would be near."
    ]


def ending_section(report: Mapping[str, Any]) -> Section:
    """Tell of touching and of failures."""
    header = ["touching", "throws", "share", "95 %"]
    if "published_share" in report["touching"][-1]:
        header += ["published", "95 %", "difference", "95 %"]
    touching = Table(
        "Throws that ended touching",
        header,
        [beside_published(row, "touch", "throws")[: len(header)] for row in report["touching"]],
    )
    status = Table(
        "Throws by how they ended",
        ("status", "throws", "share", "95 %"),
        [
            (
                word(row["status"]),
                count(row["throws"]),
                share(row["share"]),
                share_range(row["interval"]),
            )
            for row in report["status"]
        ],
    )
    tables = [touching, status]
    if report["failed_throws"]:
        tables.append(_failures(report["failed_throws"]))
    return Section("Touching and failures", "endings", _ending_words(report), tables=tables)


def _ending_words(report: Mapping[str, Any]) -> list[str]:
    both = report["touching"][-1]
    throws = report["run"]["throws"]
    words = f"{both['throws']:,} of {throws:,} throws ended with pigs touching"
    if "difference_interval" in both:
        low, high = both["difference_interval"]
        within = "agrees with" if low <= 0 <= high else "differs from"
        words += (
            f" ({share(both['share']).text}), which {within} the published "
            f"{share(both['published_share']).text} within its 95 % interval"
            if within == "agrees with"
            else f" ({share(both['share']).text}), which {within} the published "
            f"{share(both['published_share']).text} by more than its 95 % interval allows"
        )
    failed = throws - next(row["throws"] for row in report["status"] if row["status"] == "at_rest")
    return [f"{words}; {failed:,} failed."]


def _failures(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        f"The first {len(rows)} throws that failed",
        ("throw", "status", "height, mm", "start"),
        [
            (
                count(row["throw"]),
                word(row["status"]),
                Cell(f"{1e3 * row['height']:.1f}", row["height"]),
                text(row["start"]),
            )
            for row in rows
        ],
    )


def source_section(report: Mapping[str, Any]) -> Section:
    """Tell everything that is needed to throw the batch again."""
    line = command(report["configuration"], report["run"]["planned_throws"])
    words = [
        "This throws the batch again:"
        if line
        else "No command line gives this configuration with this version; the table has all of it."
    ]
    tables = [
        Table(
            caption,
            ("entry", "value"),
            [(text(entry), text(value)) for entry, value in flat(report[key]).items()],
            texts=2,
        )
        for caption, key in (("Configuration", "configuration"), ("Versions", "versions"))
    ]
    return Section("To run it again", "source", words, tables=tables, command=line)
