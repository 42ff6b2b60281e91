// Package model is the one description of RealSense D400 cameras on USB: image sizes and formats, controls, metadata of
// frames, commands of the hardware monitor and their framing, the device description, calibration tables and the
// intrinsics that follow from them, reports of the inertial sensors. Package uvc has what isn't RealSense's. The driver
// (d400), the simulated camera (sim) and the virtual one (d435i) share it, so none of them is a judge of it: the judges
// are the recorded requests of librealsense and the published logs of real cameras in d435i's tests.
//
// Functions that parse bytes return slices of them.
package model
