package d435i

import (
	"encoding/binary"
	"slices"

	"rsros/camdriver/model"
)

// Tables is the camera's calibration, in the units and form of its firmware.
type Tables struct {
	Baseline float64               // mm, signed
	Rect     map[[2]int][4]float64 // by size: fx, fy, ppx, ppy
	ColorK   [4]float64            // fx, fy, cx, cy of images spanning -1 … 1
	Coeffs   [5]float64
	ColorR   [9]float64 // colour to depth, by columns
	ColorT   [3]float64 // mm, the other way round
	ColorW   int
	ColorH   int
	AccelS   [9]float64 // by rows
	AccelB   [3]float64 // m/s²
	GyroS    [9]float64
	GyroB    [3]float64 // °/s
	DepthIMU [3]float64 // m; no rotation
}

// Factory returns the calibration of a plausible D435i.
func Factory() Tables {
	t := Tables{
		Baseline: -49.95,
		Rect:     map[[2]int][4]float64{},
		ColorK:   [4]float64{1.4265625, 2.5354167, 0.0098437, 0.0051389},
		Coeffs:   [5]float64{-0.0555, 0.0662, -0.0005, 0.0004, -0.0213},
		// A small rotation: about (0.003, -0.004, 0.002) rad.
		ColorR: [9]float64{0.99999, 0.001994, 0.004003, -0.002006, 0.9999935, 0.002996, -0.003997, -0.003004, 0.9999875},
		ColorT: [3]float64{-14.8, -0.2, -0.3},
		ColorW: 1920, ColorH: 1080,
		AccelS:   [9]float64{1.01, 0.002, -0.001, 0.001, 0.99, 0.003, -0.002, 0.001, 1.02},
		AccelB:   [3]float64{0.05, -0.02, 0.03},
		GyroS:    [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1},
		GyroB:    [3]float64{0.1, -0.2, 0.05},
		DepthIMU: [3]float64{-0.0055, 0.0051, 0.0117},
	}
	t.Rect[[2]int{1920, 1080}] = [4]float64{955.5, 955.5, 963.2, 538.1}
	t.Rect[[2]int{1280, 720}] = [4]float64{637.0, 637.0, 642.1, 358.7}
	t.Rect[[2]int{640, 480}] = [4]float64{382.2, 382.2, 321.3, 239.2}
	t.Rect[[2]int{848, 480}] = [4]float64{422.0, 422.0, 425.4, 239.1}
	t.Rect[[2]int{640, 360}] = [4]float64{318.5, 318.5, 321.1, 179.4}
	t.Rect[[2]int{424, 240}] = [4]float64{211.0, 211.0, 212.7, 119.6}
	t.Rect[[2]int{480, 270}] = [4]float64{238.9, 238.9, 240.8, 134.5}
	t.Rect[[2]int{1280, 800}] = [4]float64{637.0, 637.0, 642.1, 398.7}
	return t
}

func (t Tables) depth() []byte {
	b := make([]byte, 512)
	putFloats(b, model.BaselineAt, t.Baseline)
	for i, size := range model.RectifiedSizes {
		if k, ok := t.Rect[size]; ok {
			putFloats(b, model.RectifiedAt+16*i, k[:]...)
		}
	}
	return model.SealTable(b, model.TableDepth)
}

func (t Tables) color() []byte {
	b := make([]byte, 256)
	putFloats(b, model.ColorMatrixAt, t.ColorK[0], 0, t.ColorK[2], 0, t.ColorK[1], t.ColorK[3], 0, 0, 1)
	putFloats(b, model.ColorCoeffsAt, t.Coeffs[:]...)
	binary.LittleEndian.PutUint16(b[model.ColorSizeAt:], uint16(t.ColorW))
	binary.LittleEndian.PutUint16(b[model.ColorSizeAt+2:], uint16(t.ColorH))
	putFloats(b, model.ColorRotationAt, t.ColorR[:]...)
	putFloats(b, model.ColorTranslationAt, t.ColorT[:]...)
	return model.SealTable(b, model.TableColor)
}

// modes returns the newer list of intrinsics. Some sizes are only in the older table.
func (t Tables) modes() []byte {
	var b []byte
	for _, size := range model.RectifiedSizes {
		k, ok := t.Rect[size]
		if !ok || size[0] < 640 {
			continue
		}
		b = appendMode(b, size, k)
	}
	for size, k := range t.Rect { // sizes without a place in the table
		if !slices.Contains(model.RectifiedSizes[:], size) {
			b = appendMode(b, size, k)
		}
	}
	return b
}

func appendMode(b []byte, size [2]int, k [4]float64) []byte {
	item := make([]byte, 20)
	binary.LittleEndian.PutUint16(item[0:], uint16(size[0]))
	binary.LittleEndian.PutUint16(item[2:], uint16(size[1]))
	putFloats(item, 4, k[:]...)
	return append(b, item...)
}

func (t Tables) motion() []byte {
	b := make([]byte, 520)
	table := b[model.MotionAt:]
	table[model.MotionPoseAt], table[model.MotionValidAt] = 1, 1
	putFloats(table, model.MotionRotationAt, 1, 0, 0, 0, 1, 0, 0, 0, 1)
	putFloats(table, model.MotionTranslationAt, t.DepthIMU[:]...)
	putFloats(table, model.AccelAt, columns(t.AccelS)...)
	putFloats(table, model.AccelAt+36, t.AccelB[:]...)
	putFloats(table, model.GyroAt, columns(t.GyroS)...)
	putFloats(table, model.GyroAt+36, t.GyroB[:]...)
	model.SealTable(b, model.TableEEPROM)
	binary.LittleEndian.PutUint16(b, model.MotionVersion) // the EEPROM's own version
	return b
}

func columns(rows [9]float64) []float64 {
	return []float64{rows[0], rows[3], rows[6], rows[1], rows[4], rows[7], rows[2], rows[5], rows[8]}
}
