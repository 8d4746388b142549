"""What MuJoCo may be asked; without MuJoCo, which need not be installed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

NOT_INSTALLED = (
    "engine mujoco is not installed: pip install 'pig-throw[mujoco]', or use another --engine"
)
SINGLE_ONLY = (
    "engine mujoco throws single pigs: use --pigs 1 --device drop or hand, or another --engine"
)


@dataclass(frozen=True)
class MujocoSettings:
    """Every number that MuJoCo would otherwise choose; recorded with the results.

    Attributes:
        time_step: [s].
        steps_per_check: Steps between two looks at the body.
        contact_time: Half a period of the contact's spring, about how long a bounce lasts [s]; 8
            steps, with which the restitution is the same to 4 % wherever in a step a body hits.
        stick_rate: At which friction stops what does not slip [1/s].
        impedance: Share of a contact's force that is constraint, (0, 1).
        solver_iterations: At most.
        solver_tolerance: Improvement at which iterations end.
        table_radius: Bodies farther from the device's middle than this have escaped [m].
        clearance: Distance at which free flight hands over to contact [m].
    """

    name: ClassVar[str] = "mujoco"

    time_step: float = 1.0 / 16384.0
    steps_per_check: int = 64
    contact_time: float = 1.0 / 2048.0
    stick_rate: float = 5000.0
    impedance: float = 0.9999
    solver_iterations: int = 50
    solver_tolerance: float = 1e-10
    table_radius: float = 3.0
    clearance: float = 0.0002

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise ValueError(
                    f"engine {field.name} must be above 0, got {getattr(self, field.name)}"
                )
        if self.impedance >= 1.0:
            raise ValueError(f"engine impedance must be below 1, got {self.impedance}")
