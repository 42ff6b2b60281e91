package rslayout

import (
	"fmt"
	"math"

	"rsros/camdriver"
	"rsros/msgs"
)

// decodeTail reads the numbers at the end of a message. What precedes them depends on the node's release.
func decodeTail(message []byte, into []float64) error {
	if len(message) < 8*len(into) {
		return fmt.Errorf("calibration: %d bytes, want %d numbers", len(message), len(into))
	}
	msgs.NewDecoder(message[len(message)-8*len(into):]).F64s(into)
	for i, v := range into {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("calibration: number %d is %v", i, v)
		}
	}
	return nil
}

// NodeExtrinsics reads a message of the node's type of that name.
func NodeExtrinsics(message []byte) (e camdriver.Extrinsics, err error) {
	var v [12]float64
	if err := decodeTail(message, v[:]); err != nil {
		return e, err
	}
	e.Rotation = camdriver.Transpose([9]float64(v[:9])) // by columns in the message
	copy(e.Translation[:], v[9:])
	return e, nil
}

// NodeMotion reads a message of the node's type IMUInfo.
func NodeMotion(message []byte) (m camdriver.MotionIntrinsics, err error) {
	var v [18]float64
	if err := decodeTail(message, v[:]); err != nil {
		return m, err
	}
	for i := range m.Data {
		m.Data[i] = float32(v[i])
	}
	for i := range 3 {
		m.NoiseVariances[i], m.BiasVariances[i] = float32(v[12+i]), float32(v[15+i])
	}
	return m, nil
}
