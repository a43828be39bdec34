"""README, changelog, policies, issue forms and workflows. None of these tests needs a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import disjoin

ROOT = Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
OTHERS = ["action.yml", ".pre-commit-hooks.yaml", "recipe/recipe.yaml", ".github/dependabot.yml", ".github/zizmor.yml"]
POLICIES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWNERS = ("actions", "pypa")  # of the actions that workflows use


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def parsed(path):
    return yaml.safe_load(Path(path).read_text(encoding="utf-8"))


def workflow(name):
    return parsed(ROOT / ".github/workflows" / f"{name}.yml")


def steps(jobs):
    return [step for job in jobs.values() for step in job["steps"]]


def test_the_readme_is_short_and_begins_with_a_command():
    lines = text("README.md").splitlines()
    assert len(lines) <= 120
    assert "```console" in lines[:12]


def test_the_readme_states_the_limits_of_its_guarantee_in_a_few_lines():
    section = text("README.md").split("## Guarantees and limits\n\n", 1)[1].split("\n\n## ")[0]
    assert len(section.splitlines()) == 5
    assert "**Attackers who know the algorithm** (minimality attack) may find fewer than *k* candidates" in section
    for share in ("72 % to 93 %", "0.1 % to 0.3 %", "7 % to 47 %"):
        assert share in section
    assert "](docs/explanation/guarantees.md)" in section


def test_the_changelog_is_short_and_in_the_known_format():
    lines = text("CHANGELOG.md").splitlines()
    assert len(lines) <= 25
    assert lines[0] == "# Changelog"
    headings = [line for line in lines if line.startswith("## ")]
    for heading in headings:
        assert re.fullmatch(r"## (\[Unreleased\]|\[\d+\.\d+\.\d+\] - (\d{4}-\d{2}-\d{2}|Unreleased))", heading)
    assert f"[{disjoin.__version__}]" in headings[0]
    kinds = {line.removeprefix("### ") for line in lines if line.startswith("### ")}
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_has_no_invented_address(name):
    assert not re.search(r"[\w.]+@[\w-]+\.\w", text(name))


def test_contributing_has_the_word_list_and_names_the_api():
    page = text("CONTRIBUTING.md")
    for word in ("attacker", "data owner", "guarantee", "verifier", "recipient"):
        assert re.search(rf"^\| [^|]*\b{word}\b", page, flags=re.MULTILINE), word
    assert "`disjoin.__all__` and [docs/reference/python.md](docs/reference/python.md)" in page


def test_every_extra_that_the_readme_installs_is_declared():
    extras = re.findall(r'^pip install "\.\[(\w+)\]"', text("README.md"), flags=re.MULTILINE)
    assert set(extras) == {"studio", "dp"}
    assert set(extras) <= PROJECT["optional-dependencies"].keys()


def test_every_make_target_in_contributing_exists():
    targets = set(re.findall(r"`make ([\w-]+)", text("CONTRIBUTING.md")))
    assert "test" in targets
    for target in targets:
        assert re.search(rf"^{target}:", text("Makefile"), flags=re.MULTILINE), target


@pytest.mark.parametrize("path", [*FORMS, *WORKFLOWS, *(ROOT / name for name in OTHERS)], ids=lambda path: path.name)
def test_a_file_is_yaml(path):
    assert parsed(path)


@pytest.mark.parametrize("path", [path for path in FORMS if path.name != "config.yml"], ids=lambda path: path.name)
def test_an_issue_form_warns_of_personal_data_and_has_one_id_per_field(path):
    form = parsed(path)
    assert {"name", "description", "body"} <= form.keys()
    ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(ids) == len(set(ids))
    assert re.search("personal data|real records", path.read_text(encoding="utf-8"))


def test_the_workflow_runs_the_commands_of_the_readme():
    [shown] = re.findall(r"^```console\n(.*?)^```", text("README.md"), flags=re.MULTILINE | re.DOTALL)
    commands = [line.removeprefix("$ ") for line in shown.splitlines() if line.startswith("$ ")]
    run = [step["run"].splitlines() for step in workflow("ci")["jobs"]["readme"]["steps"] if "run" in step]
    assert len(commands) == 2
    assert commands in run


def test_the_workflow_covers_every_system_and_version():
    strategy = workflow("ci")["jobs"]["readme"]["strategy"]
    assert strategy["fail-fast"] is False
    assert [name.partition("-")[0] for name in strategy["matrix"]["os"]] == ["ubuntu", "macos", "windows"]
    versions = [entry.rpartition(" ")[2] for entry in PROJECT["classifiers"] if "Python :: 3." in entry]
    assert strategy["matrix"]["python"] == versions == ["3.11", "3.12", "3.13", "3.14"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_least_permissions_and_known_actions(path):
    found = parsed(path)
    assert found["permissions"] in ({}, {"contents": "read"})
    assert "secrets." not in path.read_text(encoding="utf-8")
    for step in steps(found["jobs"]):
        if "uses" in step:
            assert re.fullmatch(rf"({'|'.join(OWNERS)})/[\w-]+@(v\d+|release/v\d+)", step["uses"])
            if step["uses"].startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_a_release_is_published_without_a_stored_token():
    jobs = workflow("release")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"] == "pypi"
    assert "id-token" not in jobs["build"]["permissions"]
    assert jobs["publish"]["needs"] == "build"
    assert "twine check --strict" in str(steps(jobs))


SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": [path for path in FORMS if path.name != "config.yml"],
    "github-issue-config": [path for path in FORMS if path.name == "config.yml"],
    "github-actions": [ROOT / "action.yml"],
    "dependabot": [ROOT / ".github/dependabot.yml"],
}


@pytest.mark.skipif(shutil.which("check-jsonschema") is None, reason="needs the extra validators-community")
@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_schema_of_the_host_accepts_the_files(schema):
    subprocess.run(["check-jsonschema", "--builtin-schema", f"vendor.{schema}", *SCHEMAS[schema]], check=True)


@pytest.mark.skipif(shutil.which("zizmor") is None, reason="needs the extra validators-community")
def test_the_audit_of_the_workflows_finds_nothing():
    subprocess.run(["zizmor", "--offline", "--quiet", ROOT / ".github", ROOT / "action.yml"], check=True)
