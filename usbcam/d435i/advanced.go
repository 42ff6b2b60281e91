package d435i

import (
	"encoding/binary"

	"rsros/camdriver/model"
)

// groupSizes are the sizes of the register groups of advanced mode.
var groupSizes = [...]int{40, 16, 32, 20, 12, 12, 24, 12, 48, model.DepthGroupSize, 4, 8, 4}

// Depth units, in µm.
const (
	defaultUnits = 1000
	maxUnits     = 1_000_000
)

// advancedMode holds the registers that advanced mode opens.
type advancedMode struct {
	on, next bool // next is what holds after a reset
	groups   [len(groupSizes)][]byte
}

func newAdvancedMode(on bool) advancedMode {
	a := advancedMode{on: on, next: on}
	for i, size := range groupSizes {
		a.groups[i] = make([]byte, size)
	}
	binary.LittleEndian.PutUint32(a.groups[model.DepthGroup], defaultUnits)
	binary.LittleEndian.PutUint32(a.groups[model.DepthGroup][8:], 65536) // farthest unit
	return a
}

func (a *advancedMode) units() uint32 { return binary.LittleEndian.Uint32(a.groups[model.DepthGroup]) }

// get returns a group's values (which 0), minima (1) or maxima (2).
func (a *advancedMode) get(group, which uint32) ([]byte, int32) {
	if group >= uint32(len(a.groups)) || which > 2 {
		return nil, model.BadParameter
	}
	b := append([]byte(nil), a.groups[group]...)
	if group == model.DepthGroup && which > 0 {
		limit := [...]uint32{1, maxUnits}
		binary.LittleEndian.PutUint32(b, limit[which-1])
	}
	return b, 0
}

func (a *advancedMode) set(group uint32, b []byte) int32 {
	switch {
	case !a.on:
		return model.WrongState
	case group >= uint32(len(a.groups)) || len(b) != len(a.groups[group]):
		return model.BadParameter
	}
	if group == model.DepthGroup {
		if units := binary.LittleEndian.Uint32(b); units < 1 || units > maxUnits {
			return model.BadParameter
		}
	}
	copy(a.groups[group], b)
	return 0
}
