"""Prints overlapping Allan deviations of a file of numbers.

    python3 allan.py FILE LENGTH…
"""
import math
import sys

values = [float(line) for line in open(sys.argv[1])]
sums = [0.0]
for v in values:
    sums.append(sums[-1] + v)
for m in map(int, sys.argv[2:]):
    squares = [((sums[k + 2 * m] - 2 * sums[k + m] + sums[k]) / m) ** 2 for k in range(len(sums) - 2 * m)]
    print(math.sqrt(sum(squares) / 2 / len(squares)))
