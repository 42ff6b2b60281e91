package naming

import (
	"fmt"

	"rsros/program"
)

// Choice selects the names under which a camera's streams are published.
type Choice string

// The namings: the RealSense bag format's, realsense2_camera's, or both.
const (
	SDK     Choice = "sdk"
	Wrapper Choice = "wrapper"
	Both    Choice = "both"
)

// Parse parses a naming.
func Parse(s string) (Choice, error) {
	switch n := Choice(s); n {
	case SDK, Wrapper, Both:
		return n, nil
	}
	return "", fmt.Errorf("%w: naming %q: want sdk, wrapper or both", program.ErrUsage, s)
}

func (n Choice) SDK() bool     { return n != Wrapper }
func (n Choice) Wrapper() bool { return n != SDK }
