"""A short round of `make fuzz-files`: changed bytes are refused, noticed, or read as what they say."""

import disjoin
from disjoin.release.descriptor import DESCRIPTOR
from fuzz_files.inputs import inputs
from fuzz_files.releases import try_out, write_releases
from fuzz_files.rounds import Rounds

ROUNDS = 240
ALLOWED = {
    "refused",
    "read",
    "same",
    "does not hold",
    "another release",
    "said that texts were not compared",
}


def test_changed_bytes_of_every_file_are_refused_or_noticed(tmp_path):
    rounds = Rounds(tmp_path, seed=7)
    for number in range(ROUNDS):
        assert rounds.play(number) in ALLOWED, (number, rounds.name_of(number))


def test_the_files_that_are_changed_are_read_before(tmp_path):
    for case in inputs():
        (tmp_path / case.name).write_bytes(case.data)
        assert case.reads(tmp_path / case.name), case.name


def test_the_releases_that_are_changed_hold_before(tmp_path):
    for form, folder in write_releases(tmp_path).items():
        untouched = disjoin.verify(folder)
        assert untouched.holds, form
        assert "texts_compared" not in untouched.facts, form
        noticed = try_out(folder, tmp_path / "copy", DESCRIPTOR, lambda text: text + b"\n", sign=True)
        assert noticed == "does not hold", form
