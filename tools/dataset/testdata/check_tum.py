"""Prints the pairs of a TUM RGB-D folder, found as the benchmark's associate.py finds them.

    python3 check_tum.py FOLDER
"""
import os
import sys


def stamps(name):
    lines = open(os.path.join(sys.argv[1], name)).read().replace(",", " ").replace("\t", " ").split("\n")
    rows = [[v.strip() for v in line.split(" ") if v.strip() != ""] for line in lines if len(line) > 0 and line[0] != "#"]
    return {float(row[0]): row for row in rows if len(row) > 1}


first, second = stamps("rgb.txt"), stamps("depth.txt")
potential = sorted((abs(a - b), a, b) for a in first for b in second if abs(a - b) < 0.02)
left, right = set(first), set(second)
matches = []
for _, a, b in potential:
    if a in left and b in right:
        left.remove(a)
        right.remove(b)
        matches.append((a, b))
for a, b in sorted(matches):
    for row in (first[a], second[b]):
        assert open(os.path.join(sys.argv[1], row[1]), "rb").read(8) == b"\x89PNG\r\n\x1a\n", row
    print(*first[a], *second[b])
