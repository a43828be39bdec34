"""Options that say where a method runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import options
from disjoin.errors import InvalidParameter

if TYPE_CHECKING:
    from disjoin.engines.spark.settings import SparkSettings

engine_options = options(
    click.option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        show_default=True,
        help="Where it runs: on this machine, or on Apache Spark. The release is the same.",
    ),
    click.option("--master", metavar="URL", help="Spark: its master (default: SPARK_MASTER, or this machine)."),
    click.option(
        "--staging", metavar="DIR", help="Spark: a private folder that all its machines see; the records pass through."
    ),
    click.option(
        "--shard-records", type=click.IntRange(1), metavar="N", help="Spark: records per task (default: 4,000,000)."
    ),
    click.option("--spark-conf", metavar="NAME=VALUE", multiple=True, help="Spark: a setting of its own; repeat it."),
)


def spark_settings(given: dict[str, Any]) -> SparkSettings | None:
    """Take the options about the engine out of all that were given; None if it is this machine."""
    engine = given.pop("engine", "local")
    about = {name: given.pop(name, None) for name in ("master", "staging", "shard_records")}
    conf = given.pop("spark_conf", ())
    if engine == "spark":
        from disjoin.engines.spark.settings import SparkSettings

        return SparkSettings(**about, conf=tuple(conf))
    for name, value in (*about.items(), ("spark_conf", conf)):
        if value:
            raise InvalidParameter(f"--{name.replace('_', '-')} is for --engine spark: add that, or leave it out.")
    return None
