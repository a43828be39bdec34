"""Free memory of the driver: that of the machine, or what a control group (a container) leaves."""

import pytest

from disjoin.spark.preflight import free_memory

GB = 10**9
NO_LIMIT = 9223372036854771712  # how version 1 writes it


def machine(root, groups, files):
    written = {"proc/meminfo": "MemTotal: 64000000 kB\nMemAvailable: 8000000 kB\n", "proc/self/cgroup": groups}
    for name, text in {**written, **{f"sys/fs/cgroup/{name}": text for name, text in files.items()}}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n", encoding="ascii")
    return root


def group(place, limit, used, pages):
    return {
        f"{place}memory.max": limit,
        f"{place}memory.current": used,
        f"{place}memory.stat": f"anon 5\ninactive_file {pages}",
    }


def old_group(place, limit, used, pages):
    return {
        f"memory/{place}memory.limit_in_bytes": limit,
        f"memory/{place}memory.usage_in_bytes": used,
        f"memory/{place}memory.stat": f"inactive_file 7\ntotal_inactive_file {pages}",
    }


OLD = "12:cpuset:/a\n5:memory:/docker/abc\n1:name=systemd:/docker/abc\n0::/system.slice"


@pytest.mark.parametrize(
    ("groups", "files", "free"),
    [
        ("0::/", {}, 8_192_000_000),
        ("0::/", group("", 2 * GB, GB, GB // 2), 3 * GB // 2),
        ("0::/", group("", "max", GB, 0), 8_192_000_000),
        ("0::/pod/box", group("pod/", 3 * GB, GB, 0) | group("pod/box/", "max", GB, 0), 2 * GB),
        ("0::/pod/box", group("", 2 * GB, 3 * GB, 0), 0),
        (OLD, old_group("docker/abc/", 4 * GB, GB, 2), 3 * GB + 2),
        (OLD, old_group("", 4 * GB, GB, 0), 3 * GB),
        (OLD, old_group("", NO_LIMIT, GB, 0), 8_192_000_000),
    ],
)
def test_a_containers_limit_counts(groups, files, free, tmp_path):
    """K5: only the free memory of the machine was looked at."""
    assert free_memory(machine(tmp_path, groups, files)) == free


def test_a_system_that_reports_nothing_is_unknown(tmp_path):
    assert free_memory(tmp_path) is None
