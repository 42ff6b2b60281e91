package node

import (
	"fmt"

	"rsros/program"
)

// Naming says under which names a camera's streams are published.
type Naming string

// The namings: the RealSense bag format's, realsense2_camera's, or both.
const (
	NamingSDK     Naming = "sdk"
	NamingWrapper Naming = "wrapper"
	NamingBoth    Naming = "both"
)

// ParseNaming reads a naming's word.
func ParseNaming(s string) (Naming, error) {
	switch n := Naming(s); n {
	case NamingSDK, NamingWrapper, NamingBoth:
		return n, nil
	}
	return "", fmt.Errorf("%w: naming %q: want sdk, wrapper or both", program.ErrUsage, s)
}

func (n Naming) sdk() bool     { return n != NamingWrapper }
func (n Naming) wrapper() bool { return n != NamingSDK }
