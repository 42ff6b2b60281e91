#!/usr/bin/python3
"""Is in dockerd's PATH as runc, before the real one: lends folders of this machine to containers.

An image of a few files with a list named /lent, of lines "SOURCE DESTINATION ro" (or rw), stands for one of a gigabyte,
and no byte is copied. Images without that list are run as they are.
"""

import json
import os
import sys

REAL = "/usr/sbin/runc"

arguments = sys.argv[1:]
if "--bundle" in arguments:  # create and run
    bundle = arguments[arguments.index("--bundle") + 1]
    path = os.path.join(bundle, "config.json")
    with open(path) as file:
        container = json.load(file)
    lent = os.path.join(bundle, container["root"]["path"], "lent")
    if os.path.exists(lent):
        with open(lent) as file:
            for line in file:
                source, destination, mode = line.split()
                container["mounts"].append(
                    {"source": source, "destination": destination, "type": "bind", "options": ["rbind", mode]})
        with open(path, "w") as file:
            json.dump(container, file)
os.execv(REAL, ["runc"] + arguments)
