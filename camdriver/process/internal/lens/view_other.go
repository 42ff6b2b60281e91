//go:build !amd64

package lens

var fast = false

func (v *View) locateFast(_, _ []int32, _ []uint16, _, _ []float32, _ float32) int { return 0 }

func (v *View) projectFast(_ []float32, _ []uint16, _, _ []float32, _ float32) int { return 0 }

func divideFast(_ []float32, _, _ float32) int { return 0 }

func deprojectFast(_ []float32, _ []uint16, _, _ []float32, _ float32) int { return 0 }

func (r *Rays) deprojectFast(_ []float32, _ []uint16, _ int, _ float32) int { return 0 }

// Fence makes the points of Rays.Deproject visible to other goroutines that this one
// notifies.
func Fence() {}

func metresFast(_ []float32, _ []uint16, _ float32) int { return 0 }

func toDisparityFast(_ []float32, _ []uint16, _ float32) int { return 0 }

func toDepthFast(_ []uint16, _ []float32, _ float32) int { return 0 }
