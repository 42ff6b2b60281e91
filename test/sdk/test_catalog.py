"""pandas and DuckDB read a catalog with the calls of docs/archives.md."""

import json

import duckdb
import pandas
import pytest

import program


@pytest.fixture(scope="module")
def catalog(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("catalog") / "week.jsonl"
    program.catalog(folder, out)
    return out


def test_pandas(catalog, folder, count):
    table = pandas.read_json(catalog, lines=True, dtype=False)
    rows = [row for row in table.itertuples() if row.state == "indexed" and isinstance(row.device, str)]
    assert len(rows) > 15
    for row in rows:
        expected = program.info(row.name)
        assert (row.messages, row.size, row.duration) == (expected["messages"], expected["size"], duration(expected))
        assert {t["topic"]: t["messages"] for t in expected["topics"]} == {t["name"]: t["messages"] for t in row.topics}
    assert (pandas.to_datetime(table.start[table.device.notna()]) > pandas.Timestamp("2020-01-01")).all()
    count("pandas reads our catalog, rows", len(table))


def duration(info):
    """From the first message to the last, on whichever time line."""
    return info["end"] - info["start"]


def test_duckdb(catalog, count):
    cameras = duckdb.sql(f"select name, duration / 1e9, make_timestamp_ns(start) from '{catalog}' where device like '%D435I%'").fetchall()
    topics = duckdb.sql(f"select name, t.name, t.messages from '{catalog}', unnest(topics) as u(t)").fetchall()
    rows = [json.loads(line) for line in catalog.read_text().splitlines()]
    assert {c[0] for c in cameras} == {r["name"] for r in rows if "D435I" in r.get("device", "")}
    assert sorted(topics) == sorted((r["name"], t["name"], t["messages"]) for r in rows for t in r["topics"])
    count("DuckDB reads our catalog, rows", len(cameras))
