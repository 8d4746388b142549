"""The command `pigs` with what needs a calibration; the entry point."""

from __future__ import annotations

from calibration.command import calibrate_command
from calibration.report.command import report_command
from sim.cli import command, main

command("calibrate")(calibrate_command)
command("report")(report_command)

__all__ = ["main"]
