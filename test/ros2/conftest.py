"""What all judges need: a domain of their own, and our programs."""

import os
import subprocess

import pytest

os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)


@pytest.fixture
def program():
    """Starts the program; all that was started is killed in the end."""
    started = []

    def start(*command, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True} | options
        p = subprocess.Popen([str(c) for c in command], **options)
        started.append(p)
        return p

    yield start
    for p in started:
        p.kill()
        p.wait()


@pytest.fixture
def ours(program):
    return lambda role, *args: program(os.environ["RS_PEER"], "-role", role, *args)
