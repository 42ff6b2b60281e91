"""Prints YAML files as JSON, one on each line.

    python3 check_yaml.py FILE…
"""
import json
import sys

import yaml

for path in sys.argv[1:]:
    print(json.dumps(yaml.safe_load(open(path))))
