"""What a careful forger does to a release folder."""

import json

import pyarrow as pa
import pyarrow.parquet as pq

from disjoin.files.datapackage import fingerprint
from disjoin.files.release_tables import write_table


def edit(folder, change):
    """Change the descriptor."""
    package = json.loads((folder / "datapackage.json").read_text())
    change(package)
    (folder / "datapackage.json").write_text(json.dumps(package, indent=2, sort_keys=True) + "\n")


def rehash(folder, name):
    """Put the true size and hash of a file into the descriptor."""

    def say(package):
        for resource in package["resources"]:
            if resource["path"] == name:
                resource |= fingerprint(folder / name)

    edit(folder, say)


def alter(folder, name, column, row, value):
    """Change one number of a table, and the hash with it; everything else of the file stays as it was."""
    file = folder / name
    table = pq.read_table(file)
    values = table[column].to_pylist()
    assert values[row] != value, "nothing would be altered"
    values[row] = value
    place = table.column_names.index(column)
    field = table.schema.field(column)
    altered = table.set_column(place, field, pa.array(values, field.type))
    write_table(altered, file)
    rehash(folder, name)
