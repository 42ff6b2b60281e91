package camdriver

import "slices"

// OptionID identifies a setting or reading of a sensor. Values are those of rs2_option.
type OptionID uint8

// The options that this module uses. Recordings may hold any of optionNames.
const (
	OptionBacklightCompensation        OptionID = 0
	OptionBrightness                   OptionID = 1
	OptionContrast                     OptionID = 2
	OptionExposure                     OptionID = 3
	OptionGain                         OptionID = 4
	OptionGamma                        OptionID = 5
	OptionHue                          OptionID = 6
	OptionSaturation                   OptionID = 7
	OptionSharpness                    OptionID = 8
	OptionWhiteBalance                 OptionID = 9
	OptionEnableAutoExposure           OptionID = 10
	OptionEnableAutoWhiteBalance       OptionID = 11
	OptionVisualPreset                 OptionID = 12
	OptionLaserPower                   OptionID = 13
	OptionEmitterEnabled               OptionID = 18
	OptionFramesQueueSize              OptionID = 19
	OptionTotalFrameDrops              OptionID = 20
	OptionPowerLineFrequency           OptionID = 22
	OptionAsicTemperature              OptionID = 23
	OptionErrorPollingEnabled          OptionID = 24
	OptionProjectorTemperature         OptionID = 25
	OptionOutputTriggerEnabled         OptionID = 26
	OptionMotionModuleTemperature      OptionID = 27
	OptionDepthUnits                   OptionID = 28
	OptionEnableMotionCorrection       OptionID = 29
	OptionAutoExposurePriority         OptionID = 30
	OptionColorScheme                  OptionID = 31
	OptionHistogramEqualizationEnabled OptionID = 32
	OptionMinDistance                  OptionID = 33
	OptionMaxDistance                  OptionID = 34
	OptionFilterMagnitude              OptionID = 36
	OptionFilterSmoothAlpha            OptionID = 37
	OptionFilterSmoothDelta            OptionID = 38
	OptionHolesFill                    OptionID = 39
	OptionStereoBaseline               OptionID = 40
	OptionEmitterOnOff                 OptionID = 46
	OptionInterCamSyncMode             OptionID = 42
	OptionStreamFilter                 OptionID = 43
	OptionStreamFormatFilter           OptionID = 44
	OptionStreamIndexFilter            OptionID = 45
	OptionLDDTemperature               OptionID = 49
	OptionGlobalTimeEnabled            OptionID = 53
	OptionEmitterAlwaysOn              OptionID = 71
	OptionThermalCompensation          OptionID = 72
	OptionHdrEnabled                   OptionID = 76
	OptionSequenceName                 OptionID = 77
	OptionSequenceSize                 OptionID = 78
	OptionSequenceId                   OptionID = 79
	OptionAutoExposureLimit            OptionID = 85
	OptionAutoGainLimit                OptionID = 86
	OptionAutoExposureLimitToggle      OptionID = 91
	OptionAutoGainLimitToggle          OptionID = 92
	OptionEmitterFrequency             OptionID = 93
	OptionDepthAutoExposureMode        OptionID = 94
	OptionRotation                     OptionID = 99
	OptionSafetyPresetActiveIndex      OptionID = 100
	OptionSafetyMode                   OptionID = 101
	OptionEmbeddedFilterEnabled        OptionID = 105
	OptionThreshold                    OptionID = 107
	OptionDownscaleRatio               OptionID = 108
	OptionEnableAlignedDepth           OptionID = 114
)

var optionNames = [...]string{
	"Backlight Compensation", "Brightness", "Contrast", "Exposure", "Gain", "Gamma", "Hue", "Saturation",
	"Sharpness", "White Balance", "Enable Auto Exposure", "Enable Auto White Balance", "Visual Preset",
	"Laser Power", "Accuracy", "Motion Range", "Filter Option", "Confidence Threshold", "Emitter Enabled",
	"Frames Queue Size", "Total Frame Drops", "Fisheye Auto Exposure Mode", "Power Line Frequency",
	"Asic Temperature", "Error Polling Enabled", "Projector Temperature", "Output Trigger Enabled",
	"Motion Module Temperature", "Depth Units", "Enable Motion Correction", "Auto Exposure Priority",
	"Color Scheme", "Histogram Equalization Enabled", "Min Distance", "Max Distance", "Texture Source",
	"Filter Magnitude", "Filter Smooth Alpha", "Filter Smooth Delta", "Holes Fill", "Stereo Baseline",
	"Auto Exposure Converge Step", "Inter Cam Sync Mode", "Stream Filter", "Stream Format Filter",
	"Stream Index Filter", "Emitter On Off", "Zero Order Point X", "Zero Order Point Y", "LDD temperature",
	"Mc Temperature", "Ma Temperature", "Hardware Preset", "Global Time Enabled", "Apd Temperature",
	"Enable Mapping", "Enable Relocalization", "Enable Pose Jumping", "Enable Dynamic Calibration", "Depth Offset",
	"Led Power", "Zero Order Enabled", "Enable Map Preservation", "Freefall Detection Enabled", "Receiver Gain",
	"Post Processing Sharpening", "Pre Processing Sharpening", "Noise Filtering", "Invalidation Bypass",
	"Digital Gain", "Sensor Mode", "Emitter Always On", "Thermal Compensation", "Trigger Camera Accuracy Health",
	"Reset Camera Accuracy Health", "Host Performance", "Hdr Enabled", "Sequence Name", "Sequence Size",
	"Sequence Id", "Humidity Temperature", "Enable Max Usable Range", "Alternate IR", "Noise Estimation",
	"Enable IR Reflectivity", "Auto Exposure Limit", "Auto Gain Limit", "Auto Rx Sensitivity",
	"Transmitter Frequency", "Vertical Binning", "Receiver Sensitivity", "Auto Exposure Limit Toggle",
	"Auto Gain Limit Toggle", "Emitter Frequency", "Auto Exposure Mode", "Ohm Temperature", "Soc Pvt Temperature",
	"Gyro Sensitivity", "Region of Interest", "Rotation", "Safety Preset Active Index", "Safety Mode",
	"Rgb Tnr Enabled", "Safety Mcu Temperature", "Left Ir Temperature", "Embedded Filter Enabled",
	"Disparity Shift", "Threshold", "Downscale Ratio", "Readout Shaping", "Detection Distance", "Sensors Config Mode",
	"Dual Rgb Rectification", "Emitter Mode", "Enable Aligned Depth",
}

// String returns the SDK's name: "Laser Power".
func (k OptionID) String() string { return nameOf(optionNames[:], k) }

// ParseOptionID is the inverse of String.
func ParseOptionID(s string) (OptionID, bool) { return parseName[OptionID](optionNames[:], s) }

// choices are the names of the values of options that are choices, from 0, in the SDK's words.
var choices = map[OptionID][]string{
	OptionVisualPreset: {"Custom", "Default", "Hand", "High Accuracy", "High Density",
		"Medium Density", "Remove IR Pattern"},
	OptionEmitterEnabled:     {"Off", "Laser", "Laser Auto", "LED"},
	OptionPowerLineFrequency: {"Disabled", "50Hz", "60Hz", "Auto"},
}

// Choices returns the names of the option's values, from 0; nil if it isn't a choice. The caller doesn't change them.
func (k OptionID) Choices() []string { return choices[k] }

// Option is the state of an option at one instant.
type Option struct {
	ID          OptionID
	Value       float32
	Min, Max    float32
	Step        float32
	Default     float32
	ReadOnly    bool
	Description string
}

// FindOption returns the option of list with the given id.
func FindOption(list []Option, id OptionID) (o Option, ok bool) {
	i := slices.IndexFunc(list, func(o Option) bool { return o.ID == id })
	if i < 0 {
		return o, false
	}
	return list[i], true
}
