package rig

import "rsros/camdriver"

// DepthFrame is a frame of one row of depths, in units of metres.
func DepthFrame(units float32, pixels ...uint16) *camdriver.Frame {
	f := camdriver.NewFrame(nil)
	f.Profile = camdriver.Profile{Stream: camdriver.StreamID{Kind: camdriver.Depth}, Format: camdriver.Z16, Width: len(pixels), Height: 1}
	f.Width, f.Height, f.Stride, f.DepthUnits = len(pixels), 1, 2*len(pixels), units
	for _, p := range pixels {
		f.Data = append(f.Data, byte(p), byte(p>>8))
	}
	return f
}
