"""A newcomer can follow one basket file through the source."""

from benchmarks.footprint import MOST_FILES, disassociation


def test_a_release_is_made_in_few_files():
    found = disassociation().functions
    assert len(found) <= MOST_FILES, f"{len(found)} files: {', '.join(sorted(found))}"
    assert {"pipeline.py", "methods/disassociation/horpart.py", "verify/clusters/inspection.py"} <= found.keys()
