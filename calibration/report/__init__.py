"""Reports: the evidence of a batch, of two batches or of a calibration, on one page.

Each report is first a dict of plain JSON values, which `--json` prints. The page is made of that
dict alone, so that both say the same.
"""
