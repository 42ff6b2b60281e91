package model

import "rsros/camdriver"

// Field is a metadata value in a block: the bit of its flag, its offset, and its size in
// bytes; -2 is signed.
type Field struct {
	Flag, At, Size int
	Key            camdriver.MetadataKey
}

// DepthFields are those of the block of stereo frames. The region of automatic exposure,
// four fields with one flag, isn't among them.
var DepthFields = []Field{
	{0, 16, 4, camdriver.MetaGainLevel},
	{1, 20, 4, camdriver.MetaActualExposure},
	{2, 24, 4, camdriver.MetaFrameLaserPower},
	{3, 28, 4, camdriver.MetaAutoExposure},
	{4, 32, 4, camdriver.MetaExposurePriority},
	{7, 56, 1, camdriver.MetaFrameEmitterMode},
	{8, 58, 2, camdriver.MetaFrameLedPower},
}

// ColorFields are those of the block of colour frames. Automatic exposure, whose numbers are
// UVC's, isn't among them.
var ColorFields = []Field{
	{0, 16, -2, camdriver.MetaBrightness},
	{1, 20, 4, camdriver.MetaContrast},
	{2, 24, 4, camdriver.MetaSaturation},
	{3, 28, 4, camdriver.MetaSharpness},
	{5, 36, 4, camdriver.MetaAutoWhiteBalanceTemperature},
	{6, 40, 4, camdriver.MetaGainLevel},
	{7, 44, 4, camdriver.MetaBacklightCompensation},
	{8, 48, 4, camdriver.MetaGamma},
	{9, 52, -2, camdriver.MetaHue},
	{10, 56, 4, camdriver.MetaActualExposure},
	{11, 60, 4, camdriver.MetaManualWhiteBalance},
	{12, 64, 4, camdriver.MetaPowerLineFrequency},
	{13, 68, 4, camdriver.MetaLowLightCompensation},
}
