"""`make mutants`: try the mutants of the verifier that have no result yet, and list those that no test notices."""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
TESTS = ("tests/unit/verify", "tests/golden", "tests/contract", "tests/properties", "src/disjoin/verify")
LEFT_OUT = (
    "tests/properties/test_spark_without_spark.py",
    "tests/contract/test_mutants.py",
    "tests/contract/test_hostile_names.py",
)
MARKS = "not compiler and not every_page and not postgresql and not spark and not slow and not realdata"
KEPT = ROOT / "build" / "mutants.jsonl"
EQUIVALENT = Path(__file__).parent / "equivalent.txt"


def main(arguments: list[str]) -> int:
    """Run a campaign and print its totals; the exit code is 1 if a mutant is neither killed nor explained."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("only", nargs="*", help="files, or parts of a mutant's name; without them all of verify/")
    parser.add_argument("--again", action="store_true", help="try survivors that nobody has explained once more")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="tests to run")
    parser.add_argument("--budget", type=float, default=15, help="seconds of processor time for the tests of a mutant")
    parser.add_argument("--list", action="store_true", help="only list what is known")
    given = parser.parse_args(arguments)
    os.environ.update(DISJOIN_COMPILE="never", HYPOTHESIS_PROFILE="mutants")
    from mutants.account import explained, report, say
    from mutants.campaign import SURVIVED, UNSEEN, Campaign, Results
    from mutants.mutations import mutants_of

    package = ROOT / "src" / "disjoin"
    mutants = [each for file in sorted((package / "verify").rglob("*.py")) for each in mutants_of(file, package)]
    assert len({each.name for each in mutants}) == len(mutants)
    chosen = [each for each in mutants if not given.only or any(part in each.name for part in given.only)]
    results, reasons = Results(KEPT), explained(EQUIVALENT)
    stale = sorted(set(reasons) - {each.name for each in mutants})
    if not given.list:
        states = {SURVIVED, UNSEEN} if given.again else set()
        waiting = [
            each
            for each in chosen
            if (found := results.of(each)) is None or (found["status"] in states and each.name not in reasons)
        ]
        say(f"{len(waiting)} mutants to try, of {len(chosen)}")
        if waiting:
            _run(Campaign(waiting, "disjoin", results, budget=given.budget, say=say), given.tests)
    return report(chosen, results, reasons, stale)


def _run(campaign: object, tests: list[str]) -> None:
    import pytest
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutants",
        max_examples=8,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    options = ["-p", "no:xdist", "-p", "no:cov", "-p", "no:cacheprovider", "--tb=no", "-m", MARKS, "--capture=fd"]
    options += ["-o", "tmp_path_retention_policy=none", *(f"--ignore={name}" for name in LEFT_OUT)]
    pytest.main([*options, *tests], plugins=[campaign])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
