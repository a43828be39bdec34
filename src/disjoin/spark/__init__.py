"""Apache Spark engine: a data frame of records in, a release out.

    import disjoin.spark

    outcome = disjoin.spark.disassociate(df, k=5, m=2, terms="items", staging="/shared/private")
    outcome.release.write("release")

The records stay in the cluster. See docs/how-to/spark.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disjoin.spark.frames import disassociate, inspect, inspect_frame, publish_frame

__all__ = ["disassociate", "inspect", "inspect_frame", "publish_frame"]


def __getattr__(name: str) -> Any:
    """Import the functions when they are used, so that the settings of the engine can be listed without arrays."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from disjoin.spark import frames

    return getattr(frames, name)
