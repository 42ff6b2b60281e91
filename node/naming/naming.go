package naming

// Choice selects the names under which a camera's streams are published.
type Choice string

// The namings: the RealSense bag format's, realsense2_camera's, or both.
const (
	SDK     Choice = "sdk"
	Wrapper Choice = "wrapper"
	Both    Choice = "both"
)

func (n Choice) SDK() bool     { return n != Wrapper }
func (n Choice) Wrapper() bool { return n != SDK }
