package camdriver

import "testing"

func TestStreamNames(t *testing.T) {
	for _, id := range []StreamID{{Depth, 0}, {Infrared, 2}, {Infrared, 10}, {Pose, 0}, {Occupancy, 0}, {LabeledPointCloud, 1}, {ObjectDetection, 0}} {
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
		"6DOF":                       SixDOF.String(),
		"COMBINED_MOTION":            MotionFull.String(),
		"Z16H":                       Z16H.String(),
		"Connection Type":            InfoConnectionType.String(),
		"Crc":                        MetaCrc.String(),
		"LDD temperature":            OptionLDDTemperature.String(),
		"Rotation":                   OptionRotation.String(),
		"Pose Relocalization":        NotifyPoseRelocalization.String(),
		"Global Time":                GlobalTime.String(),
		"Kannala Brandt4":            KannalaBrandt4.String(),
		"Downscale Ratio":            OptionDownscaleRatio.String(),
		"Enable Aligned Depth":       OptionEnableAlignedDepth.String(),
		"Safety Depth Frame Counter": firstSafetyMetadata.String(),
		"Embedded Filters":           MetaEmbeddedFilters.String(),
		"Mipi Driver Version":        InfoMipiDriverVersion.String(),
		"Labeled Point Cloud":        LabeledPointCloud.String(),
		"Object_Detection_0":         StreamID{ObjectDetection, 0}.String(),
		"UNKNOWN":                    OptionID(250).String(),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for got, want := range map[int]int{int(OptionSafetyPresetActiveIndex): 100, int(OptionDownscaleRatio): 108, int(OptionEnableAlignedDepth): 114, int(firstSafetyMetadata): 43, int(MetaEmbeddedFilters): 130, int(InfoSmcuFwVersion): 16, int(ObjectDetection): 14} {
		if got != want {
			t.Errorf("value %d, want %d", got, want)
		}
	}
	for f := range H264 + 1 {
		if back, ok := ParseFormat(f.String()); !ok || back != f {
			t.Errorf("format %d: %q parsed as %d, %v", f, f, back, ok)
		}
	}
}

func TestFitMetadata(t *testing.T) {
	var all []MetadataValue
	for k := range MetaEmbeddedFilters + 1 {
		all = append(all, MetadataValue{Key: k})
	}
	got := FitMetadata(all)
	if len(got) != MaxAllMetadata || got[MaxMetadata-1].Key != MaxMetadata-1 || got[MaxMetadata].Key != firstSafetyMetadata {
		t.Errorf("got %d values: %v", len(got), got)
	}
	few := []MetadataValue{{Key: MetaCrc}, {Key: MetaEmbeddedFilters}}
	if got := FitMetadata(few); len(got) != 2 {
		t.Errorf("got %v, want %v", got, few)
	}
}
