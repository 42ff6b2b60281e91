"""What the tests share: the folder of recordings, and a count of what was compared."""

import os
from collections import Counter
from pathlib import Path

import pytest

import ours

FOLDER = Path(os.environ.get("RS_RECORDINGS", "build/sdk/recordings"))
BAGS = os.environ.get("RS_BAGS")
compared = Counter()


@pytest.fixture(scope="session")
def folder():
    return FOLDER


@pytest.fixture(scope="session")
def read():
    """ours.read, once for each file: its result isn't changed."""
    done = {}

    def cached(name):
        if name not in done:
            # 3: a killed recorder's file is torn
            done[name] = ours.read(FOLDER / name, codes=(0, 3) if "killed" in name else (0,))
        return done[name]

    return cached


@pytest.fixture(scope="session")
def bags():
    """The folder of example recordings, which aren't part of the repository."""
    if not BAGS:
        pytest.skip("RS_BAGS names no folder of example bags")
    return Path(BAGS)


@pytest.fixture(scope="session")
def count():
    """Counts what a test compared, for the table at the end."""

    def add(what, how_many):
        compared[what] += how_many

    return add


def pytest_terminal_summary(terminalreporter):
    for what, how_many in sorted(compared.items()):
        terminalreporter.write_line(f"compared: {what}: {how_many}")


def pytest_collection_modifyitems(config, items):
    if os.environ.get("RS_NO_SKIP") and not BAGS:
        raise pytest.UsageError("RS_NO_SKIP is set, and RS_BAGS isn't")
