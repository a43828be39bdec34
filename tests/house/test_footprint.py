"""A newcomer can follow one basket file through the source."""

from benchmarks.footprint import MOST_FILES, disassociation


def test_a_release_is_made_in_few_files():
    found = disassociation().functions
    assert len(found) <= MOST_FILES, f"{len(found)} files: {', '.join(sorted(found))}"
    steps = ("horpart", "verpart", "write_leaves", "refine", "refine_shared_chunks")
    assert {f"methods/disassociation/{step}.py" for step in steps} <= found.keys()
