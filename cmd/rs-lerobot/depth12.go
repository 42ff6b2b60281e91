package main

import (
	"encoding/binary"
	"math"
)

// The parameters of LeRobot's depth of 12 bits: codes are even steps of the logarithm of depth plus a shift, in metres.
const (
	depthMin, depthMax, depthShift = 0.01, 10.0, 3.5
	depthCodes                     = 4095 // the largest code
)

// depth12 quantizes depth as LeRobot does.
type depth12 struct {
	codes  [1 << 16]uint16  // by the camera's value
	errors [1 << 16]float64 // in metres; that of no depth is 0
	far    int              // the first value beyond depthMax
}

func newDepth12(unit float64) *depth12 {
	d := &depth12{far: 1 << 16}
	low, high := math.Log(depthMin+depthShift), math.Log(depthMax+depthShift)
	for v := range d.codes {
		metres := float64(v) * unit
		code := math.RoundToEven((math.Log(metres+depthShift) - low) / (high - low) * depthCodes)
		code = min(max(code, 0), depthCodes)
		d.codes[v] = uint16(code)
		if v > 0 {
			again := math.Exp(low+code/depthCodes*(high-low)) - depthShift
			d.errors[v] = math.Abs(again - metres)
		}
		if metres > depthMax {
			d.far = min(d.far, v)
		}
	}
	return d
}

// depthError is how far quantized depth is from the camera's. Pixels without depth don't count.
type depthError struct {
	pixels, far uint64 // far: beyond depthMax
	max, sum    float64
}

func (e *depthError) add(o depthError) {
	e.pixels, e.far, e.max, e.sum = e.pixels+o.pixels, e.far+o.far, max(e.max, o.max), e.sum+o.sum
}

// quantize replaces values of 16 bits, little-endian, by codes.
func (d *depth12) quantize(pixels []byte) (e depthError) {
	for b := pixels; len(b) > 1; b = b[2:] {
		v := binary.LittleEndian.Uint16(b)
		binary.LittleEndian.PutUint16(b, d.codes[v])
		if v == 0 {
			continue
		}
		e.pixels++
		if int(v) >= d.far {
			e.far++
		}
		e.max, e.sum = max(e.max, d.errors[v]), e.sum+d.errors[v]
	}
	return e
}
