"""TOML, read by the standard library where it can."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def parse_toml(text: str) -> dict[str, Any]:
    """Read TOML.

    Raises:
        ValueError: In one line, for text that is none.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not readable as TOML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ValueError("not readable as TOML: lists or tables nested too deep") from None
    except ValueError:  # Python reads no number of thousands of digits
        raise ValueError("not readable as TOML: a number with too many digits") from None
