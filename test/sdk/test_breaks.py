"""librealsense as a judge catches a wrong stamp and a lost frame: recordings that are wrong on purpose are judged like the others."""

import pytest

import breaks
import sdk
from recording import differences

FORMS = ["bag", "db3"] if sdk.READS_DB3 else ["bag"]


@pytest.mark.parametrize("form", FORMS)
def test_lost_frame(form, folder, read, tmp_path):
    name = f"live.{form}"
    number = breaks.number_of(read(name))
    breaks.lose_frame(folder / name, tmp_path / name, number)
    assert differences(read(name), sdk.play(tmp_path / name)) == [f"Depth_0: frame {number} is missing"]


@pytest.mark.parametrize("form", FORMS)
def test_wrong_stamp(form, folder, read, tmp_path):
    name = f"live.{form}"
    number = breaks.number_of(read(name))
    breaks.move_stamp(folder / name, tmp_path / name, number)
    (found,) = differences(read(name), sdk.play(tmp_path / name))
    assert found.startswith(f"Depth_0: frame {number}: timestamp")
