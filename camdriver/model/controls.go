package model

import "rsros/camdriver"

// DepthUnit is the GUID {C9606CCB-594C-4D25-AF47-CCC496435995} of the depth function's
// extension unit in wire order: the first three fields are little-endian.
var DepthUnit = [16]byte{0xcb, 0x6c, 0x60, 0xc9, 0x4c, 0x59, 0x25, 0x4d, 0xaf, 0x47, 0xcc, 0xc4, 0x96, 0x43, 0x59, 0x95}

// Selectors of the depth function's extension unit.
const (
	XUHardwareMonitor = 0x01
	XUEmitter         = 0x02
	XUExposure        = 0x03
	XULaserPower      = 0x04
	XUPreset          = 0x06
	XUErrorReport     = 0x07
	XUOutputTrigger   = 0x08
	XUTemperatures    = 0x09
	XUAutoWhite       = 0x0a
	XUAutoExposure    = 0x0b
	XUThermal         = 0x0f
	XUEmitterRate     = 0x10
	XUExposureMode    = 0x11
	XUSync            = 0x12
	XULast            = XUSync // that is known
)

// LaserOn is the emitter's mode in which the laser's power has effect.
const LaserOn = 1

// Selectors of processing units and of camera terminals (UVC 1.5, A.9.4-5) that aren't only in ColorControls.
const (
	PUGain         = 0x04
	PUWhiteBalance = 0x0a
	PUAutoWhite    = 0x0b

	CTExposureMode = 0x02
	CTExposure     = 0x04
)

// UVC's exposure modes.
const (
	ManualExposure = 1
	AutoExposure   = 8 // aperture priority
)

// ColorControl is a control of the colour function, with its size in bytes, and its range in a D435i.
type ColorControl struct {
	Terminal            bool // of the camera terminal, not of the processing unit
	Selector            uint8
	Size                int
	Min, Max, Step, Def int32
	Option              camdriver.OptionID
	About               string
}

// ColorControls are all controls of the colour function. The exposure mode is a bit map.
var ColorControls = []ColorControl{
	{false, 0x01, 2, 0, 1, 1, 0, camdriver.OptionBacklightCompensation, "Backlight compensation"},
	{false, 0x02, 2, -64, 64, 1, 0, camdriver.OptionBrightness, "Brightness"},
	{false, 0x03, 2, 0, 100, 1, 50, camdriver.OptionContrast, "Contrast"},
	{false, PUGain, 2, 0, 128, 1, 64, camdriver.OptionGain, "Image gain"},
	{false, 0x05, 1, 0, 3, 1, 3, camdriver.OptionPowerLineFrequency, "Mains flicker: 0 off, 1 50 Hz, 2 60 Hz, 3 auto"},
	{false, 0x06, 2, -180, 180, 1, 0, camdriver.OptionHue, "Hue"},
	{false, 0x07, 2, 0, 100, 1, 64, camdriver.OptionSaturation, "Saturation"},
	{false, 0x08, 2, 0, 100, 1, 50, camdriver.OptionSharpness, "Sharpness"},
	{false, 0x09, 2, 100, 500, 1, 300, camdriver.OptionGamma, "Gamma"},
	{false, PUWhiteBalance, 2, 2800, 6500, 10, 4600, camdriver.OptionWhiteBalance,
		"White balance in K; setting it ends automatic white balance"},
	{false, PUAutoWhite, 1, 0, 1, 1, 1, camdriver.OptionEnableAutoWhiteBalance, "Automatic white balance"},
	{true, CTExposureMode, 1, 0, 9, 1, AutoExposure, camdriver.OptionEnableAutoExposure,
		"Auto exposure of the colour imager"},
	{true, 0x03, 1, 0, 1, 1, 0, camdriver.OptionAutoExposurePriority, "Let auto exposure lower the frame rate"},
	{true, CTExposure, 4, 1, 10000, 1, 156, camdriver.OptionExposure,
		"Colour exposure in 100 µs; setting it ends auto exposure"},
}
