package naming

import (
	"fmt"

	"rsros/program"
)

// Choice says under which names a camera's streams are published.
type Choice string

// The namings: the RealSense bag format's, realsense2_camera's, or both.
const (
	SDK     Choice = "sdk"
	Wrapper Choice = "wrapper"
	Both    Choice = "both"
)

// Parse reads a naming's word.
func Parse(s string) (Choice, error) {
	switch n := Choice(s); n {
	case SDK, Wrapper, Both:
		return n, nil
	}
	return "", fmt.Errorf("%w: naming %q: want sdk, wrapper or both", program.ErrUsage, s)
}

func (n Choice) SDK() bool     { return n != Wrapper }
func (n Choice) Wrapper() bool { return n != SDK }
