package camdriver

import "slices"

// MetadataKey identifies a metadata value of a frame. Values are those of rs2_frame_metadata_value.
type MetadataKey uint8

// The keys, in rs2_frame_metadata_value order.
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

// Librealsense 2.57 added keys for safety cameras. They occur in recordings; no driver of this module sets them.
const (
	firstSafetyMetadata = MetaCrc + 1
	MetaEmbeddedFilters = MetadataKey(len(metadataNames) - 1) // the last key
)

var metadataNames = [...]string{
	"Frame Counter", "Frame Timestamp", "Sensor Timestamp", "Actual Exposure", "Gain Level", "Auto Exposure",
	"White Balance", "Time Of Arrival", "Temperature", "Backend Timestamp", "Actual Fps", "Frame Laser Power",
	"Frame Laser Power Mode", "Exposure Priority", "Exposure Roi Left", "Exposure Roi Right", "Exposure Roi Top",
	"Exposure Roi Bottom", "Brightness", "Contrast", "Saturation", "Sharpness", "Auto White Balance Temperature",
	"Backlight Compensation", "Hue", "Gamma", "Manual White Balance", "Power Line Frequency",
	"Low Light Compensation", "Frame Emitter Mode", "Frame Led Power", "Raw Frame Size", "Gpio Input Data",
	"Sequence Name", "Sequence Id", "Sequence Size", "Trigger", "Preset", "Input Width", "Input Height",
	"Sub Preset Info", "Calib Info", "Crc", "Safety Depth Frame Counter", "Safety Level1", "Safety Level1 Origin",
	"Safety Level2", "Safety Level2 Origin", "Safety Level1 Verdict", "Safety Level2 Verdict",
	"Safety Operational Mode", "Safety Vision Verdict", "Safety Hara Events", "Safety Preset Integrity",
	"Safety Preset Id Selected", "Safety Preset Id Used", "Safety Sip Degradation Used",
	"Safety Sip Generic Metrics Activate", "Safety Sip Generic Metrics State", "Safety Sip Generic Metrics Value1",
	"Safety Sip Generic Metrics Value2", "Safety Sip Generic Metrics Threshold1",
	"Safety Sip Generic Metrics Threshold2", "Safety Zero Monitoring Enabled", "Safety Hara History Mode",
	"Safety Soc Fusa Events", "Safety Soc Fusa Action", "Safety Soc L0 Counter", "Safety Soc L0 Rate",
	"Safety Soc L1 Counter", "Safety Soc L1 Rate", "Safety Soc Gmt Status", "Safety Soc Hkr Critical Error Gpio",
	"Safety Soc Monitor L2 Error Type", "Safety Soc Monitor L3 Error Type", "Safety Soc Safety And Security",
	"Safety Depth Frame Timestamp", "Safety Smcu Processing Timestamp", "Safety Pipeline Propagation Delay",
	"Safety Smcu Debug Status Bitmask", "Safety Smcu Debug Info Internal State",
	"Safety Smcu Debug Info Bist Status", "Safety Non Fusa Gpio Out", "Safety Smcu Hw Monitor Status",
	"Safety Smcu Sw Monitor Status", "Safety Non Fusa Gpio In", "Safety Mb Fusa Event", "Safety Mb Fusa Action",
	"Safety Mb Status", "Safety Smcu Liveliness", "Safety Smcu State", "Safety Preset Id", "Sensor Angle Roll",
	"Sensor Angle Pitch", "Diagnostic Zone Median Height", "Floor Detection", "Diagnostic Zone Fill Rate",
	"Depth Fill Rate", "Depth Stdev", "Occupancy Grid Rows", "Occupancy Grid Columns", "Occupancy Cell Size",
	"Number Of 3d Vertices", "Safety Preset Error Type", "Safety Preset Error Param 1",
	"Safety Preset Error Param 2", "Danger Zone Point 0 X Cord", "Danger Zone Point 0 Y Cord",
	"Danger Zone Point 1 X Cord", "Danger Zone Point 1 Y Cord", "Danger Zone Point 2 X Cord",
	"Danger Zone Point 2 Y Cord", "Danger Zone Point 3 X Cord", "Danger Zone Point 3 Y Cord",
	"Warning Zone Point 0 X Cord", "Warning Zone Point 0 Y Cord", "Warning Zone Point 1 X Cord",
	"Warning Zone Point 1 Y Cord", "Warning Zone Point 2 X Cord", "Warning Zone Point 2 Y Cord",
	"Warning Zone Point 3 X Cord", "Warning Zone Point 3 Y Cord", "Diagnostic Zone Point 0 X Cord",
	"Diagnostic Zone Point 0 Y Cord", "Diagnostic Zone Point 1 X Cord", "Diagnostic Zone Point 1 Y Cord",
	"Diagnostic Zone Point 2 X Cord", "Diagnostic Zone Point 2 Y Cord", "Diagnostic Zone Point 3 X Cord",
	"Diagnostic Zone Point 3 Y Cord", "Embedded Filters",
}

// String returns the SDK's name: "Actual Exposure".
func (k MetadataKey) String() string { return nameOf(metadataNames[:], k) }

// ParseMetadataKey is the inverse of String.
func ParseMetadataKey(s string) (MetadataKey, bool) {
	return parseName[MetadataKey](metadataNames[:], s)
}

// Limits on the number of values of a frame. librealsense copies the keys that it knows
// into an array of fixed size and crashes on bags with more.
const (
	MaxMetadata    = 36 // keys up to MetaCrc, which version 2.56 knows
	MaxAllMetadata = 98 // all keys, which later versions know
)

// FitMetadata truncates a frame's values, which must be in key order, to those limits. It modifies list.
func FitMetadata(list []MetadataValue) []MetadataValue {
	old, _ := slices.BinarySearchFunc(list, firstSafetyMetadata,
		func(v MetadataValue, k MetadataKey) int { return int(v.Key) - int(k) })
	if old > MaxMetadata {
		list = slices.Delete(list, MaxMetadata, old)
	}
	return list[:min(len(list), MaxAllMetadata)]
}

// MetadataValue is a metadata value of a frame.
type MetadataValue struct {
	Key   MetadataKey
	Value int64
}
