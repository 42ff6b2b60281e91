package rstext

import "rsros/camdriver"

// Names are the last names that a release of librealsense has of each kind: it knows all
// names before them, too. Names of metadata are no matter of a release, because readers of
// all releases pass over those that they don't know.
type Names struct {
	Info   camdriver.InfoKey
	Option camdriver.OptionID
	Stream camdriver.StreamKind
	Format camdriver.Format
}

// AddedOption is the description of an option that a sensor doesn't have. It is in a .db3 because
// librealsense crashes on a sensor without options.
const AddedOption = "Added: librealsense needs an option"

// The names of releases.
var (
	Names256  = Names{camdriver.InfoConnectionType, camdriver.OptionRotation, camdriver.Motion, camdriver.MotionFull}
	Names2581 = Names{camdriver.InfoMipiDriverVersion, camdriver.OptionEmbeddedFilterEnabled, camdriver.LabeledPointCloud, camdriver.MotionFull}
	Names2582 = Names{camdriver.InfoMipiDriverVersion, camdriver.OptionEmbeddedFilterEnabled, camdriver.ObjectDetection, camdriver.NV12}
	Names2583 = Names{camdriver.InfoMipiDriverVersion, camdriver.OptionDownscaleRatio, camdriver.ObjectDetection, camdriver.NV12}
)
