package rstext

import "rsros/camdriver"

// Names are the last names of each kind that a release of librealsense knows. Metadata isn't among
// them, because all releases skip unknown names of metadata.
type Names struct {
	Info   camdriver.InfoKey
	Option camdriver.OptionID
	Format camdriver.Format
}

// AddedOption describes an option that a sensor doesn't have. librealsense needs one.
const AddedOption = "Added: librealsense needs an option"

// The names of releases.
var (
	Names256  = Names{camdriver.InfoConnectionType, camdriver.OptionRotation, camdriver.MotionFull}
	Names2581 = Names{camdriver.InfoMipiDriverVersion, camdriver.OptionEmbeddedFilterEnabled, camdriver.MotionFull}
	Names2582 = Names{camdriver.InfoMipiDriverVersion, camdriver.OptionEmbeddedFilterEnabled, camdriver.NV12}
	Names2583 = Names{camdriver.InfoMipiDriverVersion, camdriver.OptionDownscaleRatio, camdriver.NV12}
	Names2591 = Names{camdriver.InfoMipiDriverVersion, camdriver.OptionEnableAlignedDepth, camdriver.H264}
)
