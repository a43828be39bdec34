"""A small sound file of every format that is read, and how it is read."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

import disjoin
from disjoin.ledger.ledger import Ledger
from disjoin.model import KAnonymity
from disjoin.model.release import Report
from disjoin.plan import Plan
from disjoin.readers.hierarchies import read_groups, read_hierarchy
from disjoin.readers.read import read
from disjoin.readers.tables import read_table
from disjoin.readers.term_lists import itemsets_in, terms_from
from disjoin.release.result_folder import LIST, ResultFolder
from disjoin.verify.table.inspection import judge

RECORDS = [["tea", "milk"], ["tea"], ["milk", "bread", "jam"], ["Käse", "bread"], ["tea", "jam"]] * 3
SURVEY = ResultFolder("The survey", "survey", r"survey\.csv")
_SMALL_ALREADY = {"snappy.parquet", "packed.arrow", "plain.parquet"}
AGES = ["37", "37", "[20, 29]", "[20, 29]", "?", "?"]


@dataclass(frozen=True)
class Input:
    """A file by its name, its sound bytes, and what reads it."""

    name: str
    data: bytes
    reads: Callable[[Path], Any]


def _parquet(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def _arrow(table: pa.Table, compression: str | None = None) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        for batch in table.to_batches(5):
            writer.write_batch(batch)
    return sink.getvalue()


def _texts() -> dict[str, bytes]:
    pairs = [(number, term) for number, record in enumerate(RECORDS) for term in record]
    long = "order,item\n" + "".join(f'{number},"{term}"\n' for number, term in pairs)
    spmf = "@CONVERTED_FROM_TEXT\n@ITEM=1=tea\n@ITEM=2=milk\n" + "1 -1 2 -1 -2\n2 -1 -2\n1 2 -1 -2\n" * 4
    table = "age,city,illness\n" + "".join(f'{age!r},"Bonn",flu\n'.replace("'", '"') for age in AGES)
    texts = {
        "records.fimi": "\n".join(" ".join(record) for record in RECORDS) + "\n",
        "records.spmf": spmf,
        "baskets.csv": "\n".join(",".join(f'"{term}"' for term in record) for record in RECORDS) + "\n",
        "long.csv": long,
        "records.jsonl": "".join('["' + '","'.join(record) + '"]\n' for record in RECORDS),
        "members.jsonl": "".join('{"id":1,"terms":["' + '","'.join(record) + '"]}\n' for record in RECORDS),
        "table.csv": table,
        "table.tsv": table.replace('",', '"\t').replace(",", "\t", 2).replace('"\tflu', '"\tflu'),
    }
    return {name: text.encode() for name, text in texts.items()}


def _columnar() -> dict[str, bytes]:
    lists = pa.table({"terms": RECORDS, "id": list(range(len(RECORDS)))})
    coded = pa.table({"terms": pa.array(RECORDS).cast(pa.list_(pa.dictionary(pa.int32(), pa.string())))})
    pairs = pa.table({"id": [1, 1, 2, 3, 3], "term": ["a", "b", "a", "b", "c"]})
    table = pa.table({"age": AGES, "weight": [70.5, None, 80.0, 1.0, 2.0, 3.0], "born": [1, 2, 3, 4, 5, 6]})
    return {
        "records.parquet": _parquet(lists),
        "snappy.parquet": _parquet(pa.concat_tables([lists] * 3), row_group_size=10, compression="snappy"),
        "plain.parquet": _parquet(lists, use_dictionary=False, compression="none", data_page_version="2.0"),
        "long.parquet": _parquet(pairs),
        "records.arrow": _arrow(lists),
        "coded.arrow": _arrow(coded),
        "packed.arrow": _arrow(lists, "zstd"),
        "long.arrow": _arrow(pairs),
        "table.parquet": _parquet(table),
        "table.arrow": _arrow(table),
    }


def _packed(files: dict[str, bytes]) -> dict[str, bytes]:
    packed = {}
    for name in files.keys() - _SMALL_ALREADY:
        packed[f"{name}.gz"] = gzip.compress(files[name], mtime=0)
        packed[f"{name}.zst"] = zstandard.compress(files[name])
    return dict(sorted(packed.items()))


def _ledger() -> bytes:
    """Return a ledger that knows a release; its key and its time are fixed, so that a round can be played again."""
    always = mock.patch("disjoin.ledger.store.secrets.token_bytes", bytes)
    then = mock.patch("disjoin.ledger.ledger._now", lambda: "2026-01-01T00:00:00+00:00")
    with tempfile.TemporaryDirectory() as folder, always, then:
        ledger = Ledger.start(folder)
        ledger.add(disjoin.disassociate(RECORDS, k=3, m=1), RECORDS)
        return ledger.path.read_bytes()


def _looked_up(path: Path) -> Any:
    path.chmod(0o600)  # a ledger that others may read is refused
    ledger = Ledger.open(path)
    return ledger.entries() and ledger.overlaps(RECORDS) and ledger.overlaps_among()


def _replaceable(path: Path) -> Any:
    """Ask whether a folder with this list of its files may be overwritten; it must not be, unless the list is sound."""
    objection = SURVEY.objection_to_these({LIST: path})
    assert objection or path.read_bytes() == SURVEY.list_of({}).encode(), "a list that we never wrote is accepted"
    return objection or "replaceable"


def _judged(path: Path) -> Any:
    return judge(read_table(path), KAnonymity(2, ("age",), ("illness",)))


def inputs() -> list[Input]:
    """Return all kinds of files."""
    files = _texts() | _columnar()
    files |= _packed(files)
    found = [Input(name, data, read_table if name.startswith("table") else read) for name, data in files.items()]
    tree = b'tea;hot;drinks;*\ncoffee;hot;drinks;*\nmilk;drinks;*\n"a;b";sweet;*\n'
    plan = b'[input]\npath = "baskets.csv"\n[method]\nname = "disassociation"\nk = 5\nm = 2\n[output]\npath = "r"\n'
    report = Report("disassociation", {"k": 3}, counts={"records": 5}).to_json().encode()
    more = [
        Input("tree.csv", tree, read_hierarchy),
        Input("tree.csv.gz", gzip.compress(tree, mtime=0), read_hierarchy),
        Input("groups.csv", b"nurse;health\nteacher;school\ndoctor;health\n", read_groups),
        Input("terms.txt", "flu\nhiv\nGrippe ä\n".encode(), lambda path: terms_from(str(path))),
        Input("itemsets.txt", b'tea,milk\n"a, b",jam\nbread\n', lambda path: itemsets_in(str(path))),
        Input("groups.csv.zst", zstandard.compress(b"nurse;health\nteacher;school\n"), read_groups),
        Input("ledger", _ledger(), _looked_up),
        Input(LIST, SURVEY.list_of({}).encode(), _replaceable),
        Input("plan.toml", plan, Plan.from_file),
        Input("published.csv", files["table.csv"], _judged),
        Input("report.json", report, lambda path: Report.from_json(path.read_text(errors="replace"))),
    ]
    return found + more
