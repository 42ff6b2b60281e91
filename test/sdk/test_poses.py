"""evo reads the trajectories of our TUM and EuRoC data sets: the poses of the recording at their stamps."""

import numpy as np
import pytest
from evo.tools import file_interface

import program

READERS = {
    "tum": ("groundtruth.txt", file_interface.read_tum_trajectory_file),
    "euroc": ("mav0/state_groundtruth_estimate0/data.csv", file_interface.read_euroc_csv_trajectory),
}


def export(recording, folder, form):
    """Makes the data set, and returns the file of its trajectory."""
    program.export_set(recording, folder, form)
    return folder / READERS[form][0]


def compare(form, path, poses):
    seen = READERS[form][1](path)
    assert seen.check()[0]
    assert len(seen.timestamps) == len(poses)
    np.testing.assert_allclose(seen.timestamps, [f.timestamp / 1e3 for f in poses], rtol=0, atol=1e-6)
    np.testing.assert_allclose(seen.positions_xyz, [f.content[:3] for f in poses], atol=1e-6)
    np.testing.assert_allclose(seen.orientations_quat_wxyz, [wxyz(f.content) for f in poses], atol=1e-6)


def wxyz(content):
    """The rotation is last, as x, y, z, w."""
    x, y, z, w = content[-4:]
    return w, x, y, z


@pytest.mark.parametrize("form", READERS)
def test_trajectory(form, folder, read, tmp_path, count):
    poses = read("pose.bag").frames["Pose_0"]
    compare(form, export(folder / "pose.bag", tmp_path / "set", form), poses)
    count("evo reads ours, poses", len(poses))
