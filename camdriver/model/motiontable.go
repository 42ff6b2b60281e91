package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"rsros/camdriver"
)

// Correction is the calibration scale·v − bias of an inertial sensor.
type Correction struct {
	Scale [9]float64 // by rows
	Bias  [3]float64 // m/s² or rad/s
}

// NoCorrection is that of an ideal sensor.
var NoCorrection = Correction{Scale: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}}

// Apply corrects a sample.
func (c Correction) Apply(v [3]float64) [3]float64 {
	bias := c.Bias
	return camdriver.Extrinsics{Rotation: c.Scale, Translation: [3]float64{-bias[0], -bias[1], -bias[2]}}.Apply(v)
}

// Intrinsics returns the calibration in the SDK's layout: rows of scale, cross-axis and bias.
func (c Correction) Intrinsics() camdriver.MotionIntrinsics {
	var m camdriver.MotionIntrinsics
	for i := range 3 {
		for j := range 3 {
			m.Data[4*i+j] = float32(c.Scale[3*i+j])
		}
		m.Data[4*i+3] = float32(c.Bias[i])
	}
	return m
}

func (c Correction) finite() bool { return finite(c.Scale[:]...) && finite(c.Bias[:]...) }

// MotionTable is the table in the motion module's EEPROM.
type MotionTable struct {
	Accel, Gyro Correction
	FromDepth   camdriver.Extrinsics // from depth to the module
	HasPose     bool
}

// Parameters of OpReadMotionTab: the table, and how many bytes.
const (
	MotionTableID   = 0
	MotionTableSize = 520
)

const (
	motionVersion = 0x0101
	motionAt      = 32 // of the table in the EEPROM

	poseFlag  = 16
	validFlag = 17
	motionEnd = 164
)

func (t *MotionTable) visit(c codec) {
	c.matrix(20, &t.FromDepth.Rotation)
	c.scaled(56, &t.FromDepth.Translation, 1)
	c.matrix(68, &t.Accel.Scale)
	c.scaled(104, &t.Accel.Bias, 1)
	c.matrix(116, &t.Gyro.Scale)
	c.scaled(152, &t.Gyro.Bias, math.Pi/180)
}

// ParseMotionTable parses the EEPROM's content. If it is empty or damaged, it returns ideal sensors and an error.
func ParseMotionTable(b []byte) (MotionTable, error) {
	ideal := MotionTable{Accel: NoCorrection, Gyro: NoCorrection}
	b, err := CheckTable(TableEEPROM, b, motionAt+motionEnd)
	if err != nil {
		return ideal, err
	}
	if version := binary.LittleEndian.Uint16(b); version != motionVersion {
		return ideal, fmt.Errorf("IMU calibration has version %#04x, want %#04x", version, motionVersion)
	}
	var t MotionTable
	b = b[motionAt:]
	t.visit(codec{b, false})
	if b[poseFlag] != 1 {
		t.FromDepth = camdriver.Extrinsics{}
	} else {
		t.HasPose = finite(t.FromDepth.Rotation[:]...) && finite(t.FromDepth.Translation[:]...)
	}
	if b[validFlag] != 1 || !t.Accel.finite() || !t.Gyro.finite() {
		t.Accel, t.Gyro = NoCorrection, NoCorrection
	}
	return t, nil
}

// Encode returns the EEPROM's content.
func (t MotionTable) Encode() []byte {
	b := make([]byte, MotionTableSize)
	table := b[motionAt:]
	table[poseFlag], table[validFlag] = 1, 1
	t.visit(codec{table, true})
	SealTable(b, TableEEPROM)
	binary.LittleEndian.PutUint16(b, motionVersion)
	return b
}
