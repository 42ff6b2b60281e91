package rsbag

import (
	"encoding/binary"
	"fmt"
	"math"

	"rsros/camdriver"
)

// decodeTail reads the numbers at the end of a message. What precedes them depends on the node's release.
func decodeTail(message []byte, into []float64) error {
	if len(message) < 8*len(into) {
		return fmt.Errorf("calibration: %d bytes, want %d numbers", len(message), len(into))
	}
	message = message[len(message)-8*len(into):]
	for i := range into {
		into[i] = math.Float64frombits(binary.LittleEndian.Uint64(message[8*i:]))
		if math.IsNaN(into[i]) || math.IsInf(into[i], 0) {
			return fmt.Errorf("calibration: number %d is %v", i, into[i])
		}
	}
	return nil
}

// nodeExtrinsics reads a message of the node's type of that name.
func nodeExtrinsics(message []byte) (e camdriver.Extrinsics, err error) {
	var v [12]float64
	if err := decodeTail(message, v[:]); err != nil {
		return e, err
	}
	e.Rotation = camdriver.Transpose([9]float64(v[:9])) // by columns in the message
	copy(e.Translation[:], v[9:])
	return e, nil
}

// nodeMotion reads a message of the node's type IMUInfo.
func nodeMotion(message []byte) (m camdriver.MotionIntrinsics, err error) {
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
