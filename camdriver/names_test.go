package camdriver

import "testing"

func TestStreamNames(t *testing.T) {
	for _, id := range []StreamID{{Depth, 0}, {Infrared, 2}, {Infrared, 10}, {Pose, 0}, {Occupancy, 0}} {
		got, err := ParseStreamID(id.String())
		if err != nil || got != id {
			t.Errorf("ParseStreamID(%q) = %v, %v", id.String(), got, err)
		}
	}
	for _, bad := range []string{"", "Depth", "Depth_", "Depth_-1", "Depth_x", "Any_0", "depth_0", "Depth_99999999999"} {
		if got, err := ParseStreamID(bad); err == nil {
			t.Errorf("ParseStreamID(%q) = %v, want an error", bad, got)
		}
	}
}

// The names are the SDK's wire format: each number must keep its name.
func TestEnumNames(t *testing.T) {
	for want, got := range map[string]string{
		"6DOF":                SixDOF.String(),
		"COMBINED_MOTION":     MotionFull.String(),
		"Z16H":                Z16H.String(),
		"Connection Type":     InfoConnectionType.String(),
		"Crc":                 MetaCrc.String(),
		"LDD temperature":     OptionLDDTemperature.String(),
		"Rotation":            OptionRotation.String(),
		"Pose Relocalization": NotifyPoseRelocalization.String(),
		"Global Time":         GlobalTime.String(),
		"Kannala Brandt4":     KannalaBrandt4.String(),
		"UNKNOWN":             OptionID(250).String(),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for f := range Format(34) {
		if back, ok := ParseFormat(f.String()); !ok || back != f {
			t.Errorf("format %d: %q read back as %d, %v", f, f, back, ok)
		}
	}
}
