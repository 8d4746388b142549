"""Whether the fitted pig lands as the real ones did, judged on throws that the fit never saw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.joint import Joint
from calibration.likelihood import (
    bootstrap_p_value,
    total_variation,
    two_sample_deviance,
    two_sample_test,
)
from calibration.observed import Observed
from calibration.surrogate import shares_of
from calibration.tally import Tally
from sim.interval import wilson_interval
from sim.position import POSITIONS
from sim.words import plain

LEAST_P_VALUE = 0.05
MOST_VARIATION = 0.010
_REPLICATES = 9999


@dataclass(frozen=True)
class PositionCheck:
    """One position, observed and simulated.

    Attributes:
        position: Its name.
        observed: Share of the observed pigs.
        low: Lower end of its 95 % Wilson interval.
        high: Upper end.
        simulated: Share of the simulated pigs.
        simulated_low: Lower end of its 95 % Wilson interval.
        simulated_high: Upper end.
        is_inside: Whether the simulated share lies in the observed interval.
    """

    position: str
    observed: float
    low: float
    high: float
    simulated: float
    simulated_low: float
    simulated_high: float
    is_inside: bool


@dataclass(frozen=True)
class Evidence:
    """How the fitted pig's fresh throws compare with the table.

    Attributes:
        throws: Simulated.
        pigs: Of them that did not touch.
        counts: By position.
        failed: Throws that did not come to rest.
        touching: Throws that ended touching.
        touching_interval: 95 % interval of the table's touching rate, if it tells one.
        deviance: G^2 of the two samples.
        p_value: By parametric bootstrap that fits every replicate anew.
        p_value_as_given: By a bootstrap that takes the simulated pig as given, not as fitted:
            greater, since it does not count that the parameters were chosen to suit.
        total_variation: Half the summed differences of shares.
        positions: One by one.
    """

    throws: int
    pigs: int
    counts: dict[str, int]
    failed: int
    touching: int
    touching_interval: tuple[float, float] | None
    deviance: float
    p_value: float
    p_value_as_given: float
    total_variation: float
    positions: tuple[PositionCheck, ...]

    @property
    def shortfalls(self) -> list[str]:
        """Say what keeps the fit from being as good as the observed sample can tell."""
        found = []
        if self.p_value < LEAST_P_VALUE:
            found.append(f"p is below {LEAST_P_VALUE:g}")
        if self.total_variation > MOST_VARIATION:
            found.append(
                f"total variation is above {MOST_VARIATION:g}, as few throws make it by chance"
            )
        outside = [plain(one.position) for one in self.positions if not one.is_inside]
        if outside:
            found.append(f"outside the table's 95 % interval: {' and '.join(outside)}")
        if self.touching_interval is not None:
            low, high = self.touching_interval
            if not low <= self.touching / self.throws <= high:
                found.append("touching rate outside the table's 95 % interval")
        return found


def judge(observed: Observed, fresh: Tally, joint: Joint, theta: np.ndarray, seed: int) -> Evidence:
    """Compare fresh throws at the fitted parameters with the table.

    Args:
        observed: The table.
        fresh: Throws whose seeds the fit did not use.
        joint: Of the fit; how the shares follow the parameters.
        theta: Fitted parameters.
        seed: Of the bootstrap.
    """
    counts, simulated = observed.vector, fresh.counts
    rng = np.random.default_rng(seed)
    given = two_sample_test(counts, simulated, rng, _REPLICATES)
    drawn = refitted_deviances(joint, theta, counts, simulated, rng, _REPLICATES)
    return Evidence(
        throws=fresh.throws,
        pigs=int(simulated.sum()),
        counts={name: int(count) for name, count in zip(POSITIONS, simulated, strict=True)},
        failed=int(fresh.failed.sum()),
        touching=fresh.touching,
        touching_interval=observed.touching_interval(),
        deviance=given.deviance,
        p_value=bootstrap_p_value(given.deviance, drawn),
        p_value_as_given=given.p_value,
        total_variation=total_variation(counts, simulated),
        positions=tuple(
            _check(observed, name, int(count), int(simulated.sum()))
            for name, count in zip(POSITIONS, simulated, strict=True)
            if observed.counts[name] or name != "other"
        ),
    )


def refitted_deviances(
    joint: Joint,
    theta: np.ndarray,
    observed: np.ndarray,
    simulated: np.ndarray,
    rng: np.random.Generator,
    replicates: int,
) -> np.ndarray:
    """Draw G^2 as it would be if the fitted model were true, shape (replicates,).

    Each replicate draws an observed sample from the model, fits the parameters to it by one step
    of Fisher scoring (which is as efficient as the full fit: Lehmann & Casella 1998, Theory of
    Point Estimation, theorem 6.4.3), and draws a simulated sample at what it found.
    """
    surrogate = joint.surrogate
    logits, slopes = surrogate.logits(theta), surrogate.jacobian(theta)
    shares = shares_of(logits, surrogate.reference)
    total = int(observed.sum())
    fake = rng.multinomial(total, shares, replicates).astype(np.float64)
    score = np.delete(fake - total * shares, surrogate.reference, axis=1) @ slopes
    information = joint.information(theta, exact_simulator=True)
    steps = score @ np.linalg.pinv(information)
    moved = shares_of(logits + steps @ slopes.T, surrogate.reference)
    again = rng.multinomial(int(simulated.sum()), moved).astype(np.float64)
    return two_sample_deviance(fake, again)


def _check(observed: Observed, position: str, count: int, pigs: int) -> PositionCheck:
    low, high = observed.interval(position)
    share = count / pigs
    return PositionCheck(
        position,
        observed.counts[position] / observed.pigs,
        low,
        high,
        share,
        *wilson_interval(count, pigs),
        is_inside=low <= share <= high,
    )
