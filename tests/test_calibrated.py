"""A calibration's result thrown again: the file as it is written, and files that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomllib

from calibration.record import to_toml
from sim import cli
from sim.calibrated import calibration_record
from sim.configuration import Configuration, configure
from sim.device import KERN_2006
from sim.pig import load_pig
from sim.setting import SETTINGS
from sim.throw import Thrower


def write(path: Path, **changes: Any) -> str:
    """Write the standard pig's record with other entries; None leaves one out."""
    table = {**calibration_record(), **changes}
    path.write_text(to_toml({key: value for key, value in table.items() if value is not None}))
    return str(path)


def test_the_standard_record_in_another_file_is_the_standard_pig(tmp_path: Path) -> None:
    name = write(tmp_path / "calibration.toml")
    copy, standard = configure(pig=name, seed=3), configure(seed=3)
    assert copy.device == standard.device
    lands = [Thrower(one).throw(range(2)) for one in (copy, standard)]
    for field in ("position", "translation", "quat_xyzw"):
        np.testing.assert_array_equal(*(getattr(one, field) for one in lands))


def test_command_throws_a_calibrated_pig(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = write(tmp_path / "calibration.toml", settings={"spacing": 0.061})
    out = str(tmp_path / "batch")
    assert cli.run(["throw", "-n", "2", "--pig", name, "--json", "--out", out]) == 0
    assert json.loads(capsys.readouterr().out)["throws"] == 2
    recorded = json.loads((tmp_path / "batch" / "batch.json").read_text())["configuration"]
    assert recorded["pig"]["inertia"] == calibration_record()["inertia"]
    assert recorded["device"]["spacing"] == 0.061


def heights(configuration: Configuration) -> list[float]:
    return [one.height for one in configuration.conditions]


def test_settings_found_with_the_mass_are_taken_over(tmp_path: Path) -> None:
    found = {"restitution": 0.61, "spacing": 0.05, "jitter": 0.002, "height": 0.170}
    name = write(tmp_path / "calibration.toml", settings=found)
    usual, mix = configure(pig="uniform"), configure(pig=name)
    assert mix.contact.pig_table.restitution == mix.contact.pig_leaf.restitution == 0.61
    assert mix.contact.pig_table.friction == usual.contact.pig_table.friction
    assert mix.device == replace(usual.device, spacing=0.05, jitter=0.002)
    raised = 0.170 - np.mean([one.height for one in KERN_2006])
    assert heights(mix) == pytest.approx([one.height + raised for one in KERN_2006])
    backward = configure(pig=name, start="backward")
    usual_backward = configure(pig="uniform", start="backward")
    assert heights(backward) == pytest.approx([one + raised for one in heights(usual_backward)])
    assert heights(configure(pig=name, height=0.2)) == [0.2] * 3
    drop, usual_drop = configure(pig=name, device="drop"), configure(pig="uniform", device="drop")
    assert drop.device == usual_drop.device
    assert drop.conditions == usual_drop.conditions
    assert drop.contact == mix.contact


FAR = [0.1, 0.0, 0.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": None}, "no calibration: expected a file as pigs calibrate writes it"),
        ({"shape": "0" * 64}, "calibrated for another shape"),
        ({"shape": 3}, "calibrated for another shape"),
        ({"mass": None}, "mass: expected a finite number"),
        ({"mass": "heavy"}, "mass: expected a finite number"),
        ({"mass": True}, "mass: expected a finite number"),
        ({"mass": [1.0]}, "mass: expected a finite number"),
        ({"mass": -1.0}, "mass: expected 2e-05 to 0.05 kg, got -1"),
        ({"mass": 1e308}, "mass: expected 2e-05 to 0.05 kg"),
        ({"mass": 1e-300}, "mass: expected 2e-05 to 0.05 kg"),
        ({"mass": "0.0022"}, "mass: expected a finite number"),
        ({"center_of_mass": ["0.0", "0.0", "0.008"]}, "center_of_mass: expected 3 finite numbers"),
        ({"center_of_mass": [0.012, 0.008, 0.001]}, "center_of_mass: expected a point inside"),
        ({"inertia": (1e-300 * np.eye(3)).tolist()}, "inertia: less than the pig's mass and size"),
        ({"inertia": (1e308 * np.eye(3)).tolist()}, "inertia: more than the pig's mass and size"),
        ({"settings": {"spacing": "0.05"}}, "spacing: expected a finite number"),
        ({"mass": 10**400}, "mass: expected a finite number"),
        ({"center_of_mass": [0.0, 0.0]}, "center_of_mass: expected 3 finite numbers"),
        ({"center_of_mass": [0.0, "a", 0.0]}, "center_of_mass: expected 3 finite numbers"),
        ({"center_of_mass": FAR}, "center_of_mass: expected a point inside of the pig"),
        ({"inertia": [[1.0], [2.0, 3.0]]}, "inertia: expected 3 x 3 finite numbers"),
        ({"inertia": np.zeros((3, 3)).tolist()}, "inertia: expected positive moments"),
        ({"inertia": np.eye(3).tolist()}, "inertia: more than the pig's mass and size allow"),
        ({"settings": 3}, "settings: expected a table"),
        ({"settings": {"gravity": 1.0}}, "unknown setting 'gravity': expected some of"),
        ({"settings": {"spacing": 1.0}}, "spacing: expected 0.04 to 0.12, got 1.0"),
        ({"settings": {"spacing": "wide"}}, "spacing: expected a finite number"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused_in_one_line(
    changes: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = write(tmp_path / "bad.toml", **changes)
    assert cli.run(["throw", "-n", "1", "--pig", name]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "bad.toml: " in shown.err
    assert message in shown.err
    assert shown.err.count("\n") == 1


def nothing(path: Path) -> None:
    pass


def directory(path: Path) -> None:
    path.mkdir()


def latin(path: Path) -> None:
    path.write_bytes(b"shape = '\xff'")


def nested(path: Path) -> None:
    path.write_text("a = " + "[" * 50_000)


def huge(path: Path) -> None:
    path.write_text("#" * 20_001)


@pytest.mark.parametrize("make", [nothing, directory, latin, nested, huge])
def test_a_file_that_is_no_toml_is_refused_in_one_line(
    make: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path / "bad.toml")
    assert cli.run(["poses", "--pig", str(tmp_path / "bad.toml")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "bad.toml: " in shown.err
    assert shown.err.count("\n") == 1


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    name = write(tmp_path / "marked.toml")
    Path(name).write_bytes(b"\xef\xbb\xbf" + Path(name).read_bytes())
    assert calibration_record(name) == calibration_record()


def test_settings_that_do_not_go_together_name_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = write(tmp_path / "long.toml", settings={"leaf_length": 0.12})
    assert cli.run(["throw", "-n", "1", "--pig", name, "--height", "4in"]) == 2
    error = capsys.readouterr().err
    assert "long.toml: leaf_length 0.12: height of 101.6 mm: expected more than" in error


def test_every_setting_goes_with_every_other(tmp_path: Path) -> None:
    """Corners of the ranges, whatever the order in which they are taken over."""
    for high_leaf in (False, True):
        for high_height in (False, True):
            leaf, height = SETTINGS["leaf_length"], SETTINGS["height"]
            found = {
                "leaf_length": leaf.high if high_leaf else leaf.low,
                "height": height.high if high_height else height.low,
            }
            for number, order in enumerate((found, dict(reversed(found.items())))):
                name = f"{high_leaf}{high_height}{number}.toml"
                configuration = configure(pig=write(tmp_path / name, settings=order))
                assert {key: SETTINGS[key].read(configuration) for key in found} == pytest.approx(
                    found
                )


def test_what_is_written_is_read_back_to_the_bit(tmp_path: Path) -> None:
    name = write(tmp_path / "again.toml")
    assert tomllib.loads(Path(name).read_text()) == calibration_record()
    again, standard = load_pig(name).mass_properties, load_pig("standard").mass_properties
    assert again.mass == standard.mass
    np.testing.assert_array_equal(again.inertia, standard.inertia)
