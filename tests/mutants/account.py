"""The account of a campaign: how many mutants were noticed, which are equivalent and why, and which nobody explains."""

import sys
from collections import Counter
from pathlib import Path

from mutants.campaign import KILLED, SURVIVED, TIMEOUT, UNSEEN, Results
from mutants.mutations import Mutant

UNTRIED = "not tried"


def say(words: str) -> None:
    """Write a line to the screen, at once and past what pytest captures."""
    sys.__stdout__.write(words + "\n")
    sys.__stdout__.flush()


def explained(path: Path) -> dict[str, str]:
    """Read a list of mutants that no test can notice: `= reason`, and the names of the mutants that it is true of."""
    reasons, reason = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.startswith("= "):
            reason = line[2:]
        elif line.strip() and not line.startswith("#"):
            assert reason, f"{line}: there is no reason above it"
            reasons[line.strip()] = reason
    return reasons


def report(mutants: list[Mutant], results: Results, reasons: dict[str, str], stale: list[str]) -> int:
    """Print the totals; return 0 if every mutant was tried and killed or explained, and every explanation is needed."""
    status = {each.name: (results.of(each) or {"status": UNTRIED})["status"] for each in mutants}
    survivors = [name for name, found in status.items() if found in (SURVIVED, UNSEEN)]
    unexplained = [name for name in survivors if name not in reasons]
    killed = [name for name in reasons if status.get(name) in (KILLED, TIMEOUT)]
    counts = Counter(status.values())
    seconds = sum((results.of(each) or {}).get("seconds", 0) for each in mutants)
    for name in unexplained:
        say(f"not explained ({status[name]}): {name}")
    for name in killed:
        say(f"explained as equivalent, but killed by {_killer(name, mutants, results)}: {name}")
    for name in stale:
        say(f"explained as equivalent, but no longer in the code: {name}")
    say(
        f"{len(mutants)} mutants: {counts[KILLED] + counts[TIMEOUT]} killed ({counts[TIMEOUT]} by a time limit), "
        f"{len(survivors) - len(unexplained)} equivalent (explained), {len(unexplained)} survivors not explained, "
        f"{counts[UNTRIED]} not tried; {seconds:,.0f} s of processor time"
    )
    return int(bool(unexplained or killed or stale or counts[UNTRIED]))


def _killer(name: str, mutants: list[Mutant], results: Results) -> str:
    found = next(results.of(each) for each in mutants if each.name == name)
    return str((found or {}).get("by", "a time limit"))
