"""Finds recordings in a catalog with SQL:  query_catalog.py walks.jsonl

    rs-ros-node catalog ~/recordings -o walks.jsonl

Needs: pip install duckdb
"""

import sys

import duckdb

catalog = duckdb.read_json(sys.argv[1])
# The largest sound recordings.
print(duckdb.sql("""
    select name, device, duration / 1e9 as seconds, size / 1e6 as mb
    from catalog where state = 'indexed' order by size desc limit 5
"""))
# How many images there are of each stream, in how many recordings.
print(duckdb.sql("""
    select t.name as topic, count(*) as recordings, sum(t.messages)::bigint as messages
    from catalog, unnest(topics) as u(t) where t.type like '%Image' group by topic order by topic
"""))
