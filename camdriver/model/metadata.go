package model

import "rsros/camdriver"

// Ids of the blocks of metadata in a payload header.
const (
	BlockDepthControl  = 0x80000000
	BlockTiming        = 0x80000001
	BlockConfiguration = 0x80000002
	BlockRGBControl    = 0x80000005
	BlockStats         = 0x00000003
)

// DepthUnit is the GUID {C9606CCB-594C-4D25-AF47-CCC496435995} of the depth function's
// extension unit in wire order: the first three fields are little-endian.
var DepthUnit = [16]byte{0xcb, 0x6c, 0x60, 0xc9, 0x4c, 0x59, 0x25, 0x4d, 0xaf, 0x47, 0xcc, 0xc4, 0x96, 0x43, 0x59, 0x95}

// Field is a metadata value in a block: the bit of its flag, its offset, and its size in
// bytes; -2 is signed.
type Field struct {
	Flag, At, Size int
	Key            camdriver.MetadataKey
}

// DepthFields are those of the block of stereo frames.
var DepthFields = []Field{
	{0, 16, 4, camdriver.MetaGainLevel},
	{1, 20, 4, camdriver.MetaActualExposure},
	{2, 24, 4, camdriver.MetaFrameLaserPower},
	{3, 28, 4, camdriver.MetaAutoExposure},
	{4, 32, 4, camdriver.MetaExposurePriority},
	{5, 36, 4, camdriver.MetaExposureRoiLeft},
	{5, 40, 4, camdriver.MetaExposureRoiRight},
	{5, 44, 4, camdriver.MetaExposureRoiTop},
	{5, 48, 4, camdriver.MetaExposureRoiBottom},
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
