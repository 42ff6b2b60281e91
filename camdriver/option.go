package camdriver

import "slices"

// OptionID names a setting or reading of a sensor. Values are those of rs2_option.
type OptionID uint8

// The options, in rs2_option order.
const (
	OptionBacklightCompensation OptionID = iota
	OptionBrightness
	OptionContrast
	OptionExposure
	OptionGain
	OptionGamma
	OptionHue
	OptionSaturation
	OptionSharpness
	OptionWhiteBalance
	OptionEnableAutoExposure
	OptionEnableAutoWhiteBalance
	OptionVisualPreset
	OptionLaserPower
	OptionAccuracy
	OptionMotionRange
	OptionFilterOption
	OptionConfidenceThreshold
	OptionEmitterEnabled
	OptionFramesQueueSize
	OptionTotalFrameDrops
	OptionFisheyeAutoExposureMode
	OptionPowerLineFrequency
	OptionAsicTemperature
	OptionErrorPollingEnabled
	OptionProjectorTemperature
	OptionOutputTriggerEnabled
	OptionMotionModuleTemperature
	OptionDepthUnits
	OptionEnableMotionCorrection
	OptionAutoExposurePriority
	OptionColorScheme
	OptionHistogramEqualizationEnabled
	OptionMinDistance
	OptionMaxDistance
	OptionTextureSource
	OptionFilterMagnitude
	OptionFilterSmoothAlpha
	OptionFilterSmoothDelta
	OptionHolesFill
	OptionStereoBaseline
	OptionAutoExposureConvergeStep
	OptionInterCamSyncMode
	OptionStreamFilter
	OptionStreamFormatFilter
	OptionStreamIndexFilter
	OptionEmitterOnOff
	OptionZeroOrderPointX
	OptionZeroOrderPointY
	OptionLDDTemperature
	OptionMcTemperature
	OptionMaTemperature
	OptionHardwarePreset
	OptionGlobalTimeEnabled
	OptionApdTemperature
	OptionEnableMapping
	OptionEnableRelocalization
	OptionEnablePoseJumping
	OptionEnableDynamicCalibration
	OptionDepthOffset
	OptionLedPower
	OptionZeroOrderEnabled
	OptionEnableMapPreservation
	OptionFreefallDetectionEnabled
	OptionReceiverGain
	OptionPostProcessingSharpening
	OptionPreProcessingSharpening
	OptionNoiseFiltering
	OptionInvalidationBypass
	OptionDigitalGain
	OptionSensorMode
	OptionEmitterAlwaysOn
	OptionThermalCompensation
	OptionTriggerCameraAccuracyHealth
	OptionResetCameraAccuracyHealth
	OptionHostPerformance
	OptionHdrEnabled
	OptionSequenceName
	OptionSequenceSize
	OptionSequenceId
	OptionHumidityTemperature
	OptionEnableMaxUsableRange
	OptionAlternateIR
	OptionNoiseEstimation
	OptionEnableIRReflectivity
	OptionAutoExposureLimit
	OptionAutoGainLimit
	OptionAutoRxSensitivity
	OptionTransmitterFrequency
	OptionVerticalBinning
	OptionReceiverSensitivity
	OptionAutoExposureLimitToggle
	OptionAutoGainLimitToggle
	OptionEmitterFrequency
	OptionAutoExposureMode
	OptionOhmTemperature
	OptionSocPvtTemperature
	OptionGyroSensitivity
	OptionRegionOfInterest
	OptionRotation

	// Since librealsense 2.57.
	OptionSafetyPresetActiveIndex
	OptionSafetyMode
	OptionRgbTnrEnabled
	OptionSafetyMcuTemperature
	OptionLeftIrTemperature
	OptionEmbeddedFilterEnabled

	// Since librealsense 2.58.3.
	OptionDisparityShift
	OptionThreshold
	OptionDownscaleRatio
)

var optionNames = [...]string{
	"Backlight Compensation",
	"Brightness",
	"Contrast",
	"Exposure",
	"Gain",
	"Gamma",
	"Hue",
	"Saturation",
	"Sharpness",
	"White Balance",
	"Enable Auto Exposure",
	"Enable Auto White Balance",
	"Visual Preset",
	"Laser Power",
	"Accuracy",
	"Motion Range",
	"Filter Option",
	"Confidence Threshold",
	"Emitter Enabled",
	"Frames Queue Size",
	"Total Frame Drops",
	"Fisheye Auto Exposure Mode",
	"Power Line Frequency",
	"Asic Temperature",
	"Error Polling Enabled",
	"Projector Temperature",
	"Output Trigger Enabled",
	"Motion Module Temperature",
	"Depth Units",
	"Enable Motion Correction",
	"Auto Exposure Priority",
	"Color Scheme",
	"Histogram Equalization Enabled",
	"Min Distance",
	"Max Distance",
	"Texture Source",
	"Filter Magnitude",
	"Filter Smooth Alpha",
	"Filter Smooth Delta",
	"Holes Fill",
	"Stereo Baseline",
	"Auto Exposure Converge Step",
	"Inter Cam Sync Mode",
	"Stream Filter",
	"Stream Format Filter",
	"Stream Index Filter",
	"Emitter On Off",
	"Zero Order Point X",
	"Zero Order Point Y",
	"LDD temperature",
	"Mc Temperature",
	"Ma Temperature",
	"Hardware Preset",
	"Global Time Enabled",
	"Apd Temperature",
	"Enable Mapping",
	"Enable Relocalization",
	"Enable Pose Jumping",
	"Enable Dynamic Calibration",
	"Depth Offset",
	"Led Power",
	"Zero Order Enabled",
	"Enable Map Preservation",
	"Freefall Detection Enabled",
	"Receiver Gain",
	"Post Processing Sharpening",
	"Pre Processing Sharpening",
	"Noise Filtering",
	"Invalidation Bypass",
	"Digital Gain",
	"Sensor Mode",
	"Emitter Always On",
	"Thermal Compensation",
	"Trigger Camera Accuracy Health",
	"Reset Camera Accuracy Health",
	"Host Performance",
	"Hdr Enabled",
	"Sequence Name",
	"Sequence Size",
	"Sequence Id",
	"Humidity Temperature",
	"Enable Max Usable Range",
	"Alternate IR",
	"Noise Estimation",
	"Enable IR Reflectivity",
	"Auto Exposure Limit",
	"Auto Gain Limit",
	"Auto Rx Sensitivity",
	"Transmitter Frequency",
	"Vertical Binning",
	"Receiver Sensitivity",
	"Auto Exposure Limit Toggle",
	"Auto Gain Limit Toggle",
	"Emitter Frequency",
	"Auto Exposure Mode",
	"Ohm Temperature",
	"Soc Pvt Temperature",
	"Gyro Sensitivity",
	"Region of Interest",
	"Rotation",
	"Safety Preset Active Index",
	"Safety Mode",
	"Rgb Tnr Enabled",
	"Safety Mcu Temperature",
	"Left Ir Temperature",
	"Embedded Filter Enabled",
	"Disparity Shift",
	"Threshold",
	"Downscale Ratio",
}

// String gives the SDK's name: "Laser Power".
func (k OptionID) String() string { return nameOf(optionNames[:], int(k)) }

// ParseOptionID is the inverse of String.
func ParseOptionID(s string) (OptionID, bool) {
	i := indexOf(optionNames[:], s)
	return OptionID(max(i, 0)), i >= 0
}

// Option is the state of one option at one instant.
type Option struct {
	ID          OptionID
	Value       float32
	Min, Max    float32
	Step        float32
	Default     float32
	ReadOnly    bool
	Description string
}

// FindOption looks an option up.
func FindOption(list []Option, id OptionID) (o Option, ok bool) {
	i := slices.IndexFunc(list, func(o Option) bool { return o.ID == id })
	if i < 0 {
		return o, false
	}
	return list[i], true
}
