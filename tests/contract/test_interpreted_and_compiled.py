"""A release has the same bytes whether loops are interpreted or compiled: every method, on small data."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(os.environ.get("DISJOIN_COMPILE") == "never", reason="a run without the compiler"),
]

PROGRAM = """
import sys
from pathlib import Path
import disjoin
from disjoin.generate.baskets import baskets
from disjoin.generate.census import write_census, write_hierarchies
from disjoin.pipeline import write

folder = Path(sys.argv[1])
records = baskets(400, 3)
often = max({t for r in records for t in r}, key=lambda term: (sum(term in r for r in records) == 9, term))
write_census(200, 1, folder / "census.csv")
write_hierarchies(folder / "hierarchies")
people = disjoin.read_table(folder / "census.csv")
quasi = ["age", "sex", "education"]
# More terms and larger numbers than the product of two fits into 32 bits.
many = [[f"t{i % 30}", f"s{i % 7}", *(f"u{60 * i + j}" for j in range(60))] for i in range(850)]
far_apart = {"born": [str(i * 4_000_037) for i in range(300)], "age": [str(i % 70) for i in range(300)]}
releases = {
    "horpart": disjoin.disassociate(records, k=3, clustering="horpart"),
    "core": disjoin.disassociate(records, k=3, clustering="core"),
    "core-horpart": disjoin.disassociate(records, k=3, clustering="core-horpart"),
    "bounded": disjoin.disassociate(records, k=3, clustering="bounded"),
    "bounded-three": disjoin.disassociate(records, k=3, m=3, clustering="bounded"),
    "pairs": disjoin.disassociate(records, k=3, refine_builder="pairs"),
    "three": disjoin.disassociate(records, k=3, m=3),
    "many-terms": disjoin.disassociate(many, k=3, clustering="horpart"),
    "many-terms-core": disjoin.disassociate(many, k=3, clustering="core"),
    "large-numbers": disjoin.generalize(far_apart, 3, ["born", "age"], role={"born": "describes person:300"}),
    "groups": disjoin.cahd(records, [often], 4),
    "items": disjoin.generalize_items(records, 3, 2, fan_out=3),
    **{
        f"table-{name}": disjoin.generalize(
            people, 3, quasi, hierarchies=folder / "hierarchies", drop_unassigned=True, algorithm=name
        )
        for name in ("two-level", "kaca", "top-down", "top-down-kaca", "local-search")
    },
}
for name, release in releases.items():
    write(release, folder / name)
"""

# Loop by loop, as on a machine that has compiled some of them.
SOME = """
from disjoin.jit.kernel import Kernel
Kernel.is_compiled = property(lambda self: sum(map(ord, self.name)) % 2 == 0)
"""


def published(folder: Path, mode: str, before: str = "") -> dict[str, str]:
    """What every method publishes in a mode: the hash of each file."""
    folder.mkdir()
    environment = os.environ | {"DISJOIN_COMPILE": mode, "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-W", "ignore", "-c", before + PROGRAM, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_every_method_publishes_the_same_bytes_interpreted_compiled_and_mixed(tmp_path):
    interpreted, compiled = published(tmp_path / "never", "never"), published(tmp_path / "always", "always")
    assert interpreted == compiled
    assert published(tmp_path / "some", "always", SOME) == compiled
    assert len({name.split("/")[0] for name in interpreted}) >= 15
