"""One round: a file is changed, and read. The seed and the number of the round say everything."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from disjoin.errors import DisjoinError
from disjoin.parquet.tables import files_in
from fuzz_files.inputs import Input, inputs
from fuzz_files.mutations import mutated
from fuzz_files.releases import try_out, write_releases

SLOWEST = 30  # seconds that a round may take


class Rounds:
    """All files that there are to be changed, and a place for the changed ones."""

    def __init__(self, place: Path, seed: int) -> None:
        self._place, self._seed = place, seed
        self._releases = write_releases(place / "whole")
        parts = [(form, name) for form, folder in self._releases.items() for name in files_in(folder)]
        signed = [(form, name, sign) for form, name in parts for sign in (True, True, False)]
        self._cases: list[Any] = [*inputs() * 3, *signed]

    def name_of(self, number: int) -> str:
        """Say which file a round is about."""
        case = self._cases[number % len(self._cases)]
        if isinstance(case, Input):
            return case.name
        form, name, sign = case
        return f"{form}/{name} ({'signed' if sign else 'not signed'})"

    def play(self, number: int) -> str:
        """Do a round, and say in a word what came of it; whatever is raised is a finding."""
        case = self._cases[number % len(self._cases)]
        random = Random(f"{self._seed} {number}")
        try:
            return self._read(case, random) if isinstance(case, Input) else self._verified(*case, random)
        except DisjoinError as refusal:
            assert "Traceback" not in str(refusal)
            return "refused"

    def _read(self, case: Input, random: Random) -> str:
        file = self._place / case.name
        file.write_bytes(mutated(case.data, random))
        case.reads(file)
        return "read"

    def _verified(self, form: str, name: str, sign: bool, random: Random) -> str:
        change = partial(mutated, random=random)
        return try_out(self._releases[form], self._place / "copy", name, change, sign=sign)
