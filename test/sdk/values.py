"""Compares a message that another program has decoded with the one that cat prints."""

import base64
import math

SUFFIXES = {"secs": ("sec",), "nsecs": ("nanosec",)}


def same(printed, decoded):
    """Whether a value of cat's JSON equals a decoded one: a message, a list, a number or a string."""
    if isinstance(printed, dict):
        return all(same(value, member(decoded, name)) for name, value in printed.items())
    if isinstance(printed, list):
        return len(printed) == len(decoded) and all(same(a, b) for a, b in zip(printed, decoded))
    if isinstance(printed, str) and not isinstance(decoded, str):
        return base64.b64decode(printed) == bytes(decoded)  # uint8[]
    if isinstance(printed, float) or isinstance(decoded, float):
        return float(printed) == float(decoded) or math.isclose(printed, decoded, rel_tol=1e-7)  # float32
    return printed == decoded


def member(message, name):
    """A field. ROS 2 calls the parts of a time otherwise, and CameraInfo's fields d, k, r and p."""
    for spelling in (name, *SUFFIXES.get(name, ()), name.lower()):
        if hasattr(message, spelling):
            return getattr(message, spelling)
    if name == "seq":  # rosbags has it in ROS 1's header, ROS 2 doesn't have it
        return 0
    raise AttributeError(f"{type(message).__name__} has no {name}")


def without_seq(m):
    """A message of cat as ROS 2 has it: its headers have no number."""
    if header := m["message"].get("header"):
        header["seq"] = 0
    return m


def differences(printed, decoded):
    """printed are messages of cat, decoded are (topic, ns, message); both in the order of their times."""
    found = []
    if len(printed) != len(decoded):
        found.append(f"{len(printed)} messages became {len(decoded)}")
    others = {}
    for topic, at, message in decoded:
        others.setdefault((topic, at), []).append(message)
    for m in printed:
        topic, at = m["topic"], round(m["time"] * 1e9)
        candidates = others.get((topic, at), [])
        match = next((i for i, c in enumerate(candidates) if same(m["message"], c)), None)
        if match is None:
            found.append(f"{topic} at {at} ns: " + ("is another message" if candidates else "is missing"))
        else:
            candidates.pop(match)
    return found
