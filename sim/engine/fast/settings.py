"""What the fast engine may be asked; without its compiler, which takes long to import."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import frexp
from typing import ClassVar

from sim.engine.bullet_world import BulletSettings


@dataclass(frozen=True)
class FastSettings:
    """Every number of the fast engine's own; those that PyBullet has too have the same values.

    Attributes:
        time_step: Of contacts [s]; a power of two, so that sums of steps are exact.
        solver_iterations: Projected Gauss-Seidel iterations a step, at most.
        solver_tolerance: They end when none changes a contact's speed by more than this [m/s].
        contact_erp: Share of a penetration corrected per step.
        contact_breaking: Gap or slip at which a contact point is forgotten, as a share of the
            radius of the ball about the center of mass that holds the hull's bounding box.
        table_radius: Pigs farther from the device's middle than this have escaped [m].
        clearance: Distance at which free flight hands over to contact [m].
        near: Distance of two pigs' hulls at which the throw is handed to the engine that knows
            contacts between pigs [m].
        meeting: Parameters of that engine.
    """

    name: ClassVar[str] = "fast"

    time_step: float = 1.0 / 2048.0
    solver_iterations: int = 50
    solver_tolerance: float = 1e-5
    contact_erp: float = 0.02
    contact_breaking: float = 0.02
    table_radius: float = 3.0
    clearance: float = 0.0005
    near: float = 0.0005
    meeting: BulletSettings = field(default_factory=BulletSettings)

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name != "meeting" and not value > 0:
                raise ValueError(f"engine {one.name} must be above 0, got {value}")
        if frexp(self.time_step)[0] != 0.5:
            raise ValueError(
                f"engine time_step must be a power of two, such as 1/2048 s, got {self.time_step}"
            )
