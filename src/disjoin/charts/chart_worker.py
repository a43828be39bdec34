"""The process that draws charts: one chart per line comes in, one drawing per line goes out, both as JSON."""

from __future__ import annotations

import json
import sys

from disjoin.charts.specifications import draw, warm_up


def main() -> None:
    """Draw until the input ends."""
    warm_up()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(draw(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
