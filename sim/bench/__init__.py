"""Throughput: our engines beside plain PyBullet and MuJoCo, one pig, the same starts.

The test bench of the physics is sim.validate.bench; this package measures nothing but time.
"""
