"""A package adds a command, an engine, a reader, a measure, an attacker and a method with its form by entry points."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import toy

ENTRY_POINTS = """
[disjoin.commands]
greet = toy.package:greet

[disjoin.engines]
elsewhere = toy.package:Elsewhere

[disjoin.readers]
plus = toy.package:READER

[disjoin.measures]
toy_clusters = toy.package:MEASURE

[disjoin.attackers]
toy_vocabulary = toy.package:ATTACKER

[disjoin.methods]
lengths = toy:METHOD

[disjoin.forms]
lengths = toy:FORM
"""
PLAN = """
[input]
path = "records.plus"
format = "plus"

[method]
k = 2

[output]
path = "planned"

[engine]
name = "elsewhere"
workers = 4
"""
RECORDS = ["tea+milk", "tea+milk", "tea", "milk", "tea+milk+jam", "jam", "jam+tea", "milk+jam"] * 2


def install(place: Path, entry_points: str, name: str = "toy") -> None:
    """Write a package and its metadata, as an installer does."""
    if not (place / "toy").exists():
        shutil.copytree(Path(toy.__file__).parent, place / "toy")
    metadata = place / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")


@pytest.fixture
def place(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "records.plus").write_text("".join(f"{line}\n" for line in RECORDS), encoding="utf-8")
    return tmp_path


def run(place, *arguments):
    path = os.pathsep.join(filter(None, [str(place / "site"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "disjoin", *map(str, arguments)]
    return subprocess.run(
        command, cwd=place, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


def output_of(place, *arguments):
    done = run(place, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def installed(place):
    install(place / "site", ENTRY_POINTS)
    return place


def test_its_commands_are_listed_and_run(installed):
    words = output_of(installed, "--help")
    assert "  greet             Greet NAME.\n" in words.partition("More:")[2]
    assert "tell-lengths      Publish how long records are.\n" in words.partition("Publish:")[2]
    assert output_of(installed, "greet", "Ada") == "Hello, Ada.\n"


def test_its_reader_measure_and_attacker_work_on_a_release(installed):
    reading = ("--format", "plus", "--no-ledger", "-k", 2, "--json")
    written = json.loads(output_of(installed, "disassociate", "records.plus", "-o", "release", *reading))
    assert written["input"]["records"] == len(RECORDS)
    original = ("--original", "records.plus", "--format", "plus", "--json")
    measured = json.loads(output_of(installed, "evaluate", "release", *original))
    [row] = [row for row in measured["measures"] if row["name"] == "toy_clusters"]
    [own] = [row for row in measured["measures"] if row["name"] == "clusters"]
    assert row["value"] == own["value"] > 0
    assert json.loads(output_of(installed, "attack", "release", "--json"))["toy_vocabulary"] == {"terms": 3}
    assert "Reading the vocabulary" in output_of(installed, "attack", "release")


def test_its_engine_publishes_from_the_command_line_and_from_a_plan(installed):
    reading = ("records.plus", "--format", "plus", "--no-ledger", "-k", 2, "--json")
    there = output_of(installed, "disassociate", *reading, "-o", "there", "--engine", "elsewhere", "--workers", 3)
    assert json.loads(there)["private"]["workers"] == 3
    output_of(installed, "disassociate", *reading, "-o", "here")
    for file in (installed / "here").iterdir():
        assert file.read_bytes() == (installed / "there" / file.name).read_bytes()
    (installed / "plan.toml").write_text(PLAN, encoding="utf-8")
    planned = json.loads(output_of(installed, "run", "plan.toml", "--no-ledger", "--json"))
    assert planned["private"]["workers"] == 4
    refused = run(installed, "disassociate", *reading, "-o", "never", "--workers", 3)
    assert refused.stderr == "Error: --workers is for --engine elsewhere: add that, or leave it out.\n"


def test_its_method_publishes_its_form(installed):
    output_of(installed, "tell-lengths", "records.plus", "--format", "plus", "-k", 2, "-o", "release", "--no-ledger")
    assert "span 0:" in output_of(installed, "show", "release")
    assert output_of(installed, "verify", "release", "--original", "records.plus", "--format", "plus")


def test_a_release_does_not_depend_on_what_is_installed(installed):
    reading = ("--format", "plus", "--no-ledger", "-k", 2)
    output_of(installed, "disassociate", "records.plus", "-o", "release", *reading)
    shutil.rmtree(installed / "site")
    assert output_of(installed, "verify", "release").startswith("The guarantee holds.")


@pytest.mark.parametrize(
    ("entry_points", "arguments", "sentence"),
    [
        ("[disjoin.commands]\nbroken = missing.module:x\n", ["broken"], "cannot be imported (ModuleNotFoundError"),
        (
            "[disjoin.commands]\nbroken = toy.package:READER\n",
            ["broken"],
            "must be a Command or LazyEntry, found a Reader",
        ),
        ("[disjoin.commands]\nother = toy.package:greet\n", ["other"], "must have the same name as its entry point"),
        (
            "[disjoin.commands]\nverify = toy.package:greet\n",
            ["--help"],
            "but disjoin has that name already",
        ),
        ("[disjoin.readers]\nfimi = toy.package:READER\n", ["disassociate", "--help"], "disjoin has that name already"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(place, entry_points, arguments, sentence):
    install(place / "site", entry_points)
    done = run(place, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ") and done.stderr.count("\n") == 1
    assert sentence in done.stderr and "toy" in done.stderr


def test_help_lists_a_broken_command_with_what_is_wrong(place):
    install(place / "site", "[disjoin.commands]\nbroken = missing.module:x\n")
    assert "cannot be imported" in " ".join(output_of(place, "--help").split())
    assert "Usage: disjoin verify" in output_of(place, "verify", "--help")


def test_two_packages_cannot_add_one_name(place):
    install(place / "site", "[disjoin.commands]\ngreet = toy.package:greet\n")
    install(place / "site", "[disjoin.commands]\ngreet = toy.package:greet\n", "toyagain")
    done = run(place, "greet", "Ada")
    assert done.returncode == 2
    assert "'greet'" in done.stderr and "uninstall" in done.stderr
