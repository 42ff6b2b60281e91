package camdriver

// MetadataKey names a number that came with a frame. Values are those of
// rs2_frame_metadata_value.
type MetadataKey uint8

// The metadata, in rs2_frame_metadata_value order.
const (
	MetaFrameCounter MetadataKey = iota
	MetaFrameTimestamp
	MetaSensorTimestamp
	MetaActualExposure
	MetaGainLevel
	MetaAutoExposure
	MetaWhiteBalance
	MetaTimeOfArrival
	MetaTemperature
	MetaBackendTimestamp
	MetaActualFps
	MetaFrameLaserPower
	MetaFrameLaserPowerMode
	MetaExposurePriority
	MetaExposureRoiLeft
	MetaExposureRoiRight
	MetaExposureRoiTop
	MetaExposureRoiBottom
	MetaBrightness
	MetaContrast
	MetaSaturation
	MetaSharpness
	MetaAutoWhiteBalanceTemperature
	MetaBacklightCompensation
	MetaHue
	MetaGamma
	MetaManualWhiteBalance
	MetaPowerLineFrequency
	MetaLowLightCompensation
	MetaFrameEmitterMode
	MetaFrameLedPower
	MetaRawFrameSize
	MetaGpioInputData
	MetaSequenceName
	MetaSequenceId
	MetaSequenceSize
	MetaTrigger
	MetaPreset
	MetaInputWidth
	MetaInputHeight
	MetaSubPresetInfo
	MetaCalibInfo
	MetaCrc
)

var metadataNames = [...]string{
	"Frame Counter",
	"Frame Timestamp",
	"Sensor Timestamp",
	"Actual Exposure",
	"Gain Level",
	"Auto Exposure",
	"White Balance",
	"Time Of Arrival",
	"Temperature",
	"Backend Timestamp",
	"Actual Fps",
	"Frame Laser Power",
	"Frame Laser Power Mode",
	"Exposure Priority",
	"Exposure Roi Left",
	"Exposure Roi Right",
	"Exposure Roi Top",
	"Exposure Roi Bottom",
	"Brightness",
	"Contrast",
	"Saturation",
	"Sharpness",
	"Auto White Balance Temperature",
	"Backlight Compensation",
	"Hue",
	"Gamma",
	"Manual White Balance",
	"Power Line Frequency",
	"Low Light Compensation",
	"Frame Emitter Mode",
	"Frame Led Power",
	"Raw Frame Size",
	"Gpio Input Data",
	"Sequence Name",
	"Sequence Id",
	"Sequence Size",
	"Trigger",
	"Preset",
	"Input Width",
	"Input Height",
	"Sub Preset Info",
	"Calib Info",
	"Crc",
}

// String gives the SDK's name: "Actual Exposure".
func (k MetadataKey) String() string { return nameOf(metadataNames[:], int(k)) }

// ParseMetadataKey is the inverse of String.
func ParseMetadataKey(s string) (MetadataKey, bool) {
	i := indexOf(metadataNames[:], s)
	return MetadataKey(max(i, 0)), i >= 0
}

// MaxMetadata is how many values a frame may carry: librealsense copies them
// into a fixed array without a check and dies of more.
const MaxMetadata = 36

// MetadataValue is one number of a frame.
type MetadataValue struct {
	Key   MetadataKey
	Value int64
}
