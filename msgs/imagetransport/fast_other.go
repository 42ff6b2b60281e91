//go:build !amd64

package imagetransport

// fast is what tests disable where there is assembly.
var fast = false

func convertFast(_, _ []byte, _ layout, _, _, _, _ []byte) int { return 0 }
