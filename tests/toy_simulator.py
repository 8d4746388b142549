"""Simulators whose probabilities are known: softmax of quadratics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.fit import Box
from calibration.tally import Tally

SHARES = np.array([0.342, 0.262, 0.288, 0.073, 0.0306, 0.0043, 0.0001])
CONDITIONS = 4


@dataclass(frozen=True)
class ToySimulator:
    """Counts of p pigs a throw, from known probabilities; sources may shift the log-shares."""

    linear: np.ndarray
    quadratic: np.ndarray
    offsets: dict[str, np.ndarray]
    pigs: int = 2

    @classmethod
    def random(cls, parameters: int, seed: int) -> ToySimulator:
        rng = np.random.default_rng(seed)
        k = len(SHARES)
        return cls(
            rng.normal(0.0, 0.35, (k, parameters)),
            rng.normal(0.0, 0.05, (k, parameters, parameters)),
            {},
        )

    def probabilities(self, theta: np.ndarray, source: str = "") -> np.ndarray:
        logits = np.log(SHARES / SHARES[0]) + self.linear @ theta
        logits = logits + np.einsum("kij,i,j->k", self.quadratic, theta, theta)
        logits = logits + self.offsets.get(source, 0.0)
        shares = np.exp(logits - logits.max())
        return shares / shares.sum()

    def __call__(self, theta: np.ndarray, source: str, throws: range) -> np.ndarray:
        return self.tally(theta, source, throws).counts

    def tally(self, theta: np.ndarray, source: str, throws: range) -> Tally:
        words = np.abs(np.frombuffer(theta.tobytes() + source.encode().ljust(32), np.uint8))
        rng = np.random.default_rng([throws.start, throws.stop, *words.tolist()])
        shares = self.probabilities(theta, source)
        positions = np.zeros((CONDITIONS, len(SHARES)), int)
        pairs = np.zeros((len(SHARES), len(SHARES)), int)
        each = len(throws) // CONDITIONS
        for condition in range(CONDITIONS):
            landed = rng.choice(len(SHARES), (each, self.pigs), p=shares)
            positions[condition] = np.bincount(landed.ravel(), minlength=len(SHARES))
            if self.pigs == 2:
                np.add.at(pairs, tuple(landed.T), 1)
        touches = np.zeros((CONDITIONS, 3), int)
        touches[:, 0] = each
        return Tally(positions, touches, np.zeros(CONDITIONS), pairs)


def toy_box(parameters: int) -> Box:
    one = np.ones(parameters)
    return Box(-3 * one, 3 * one, 0 * one, 0.5 * one)
