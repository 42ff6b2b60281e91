package rsbag_test

import (
	"encoding/binary"
	"fmt"
	"log"

	"rsros/bagstore/rsbag"
	"rsros/camdriver"
)

// A Cursor reads the depth of a recording, which librealsense wrote.
func Example() {
	file, err := rsbag.Open("../../test/data/librealsense/sw_small_raw.bag")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	cursor, err := file.Cursor(rsbag.CursorOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close()
	for n := 0; n < 3; {
		event, ok := cursor.Next()
		if !ok {
			break
		}
		f := event.Frame
		if f == nil || f.Stream().Kind != camdriver.Depth {
			continue
		}
		centre := f.Height/2*f.Stride + f.Width/2*2
		metres := float32(binary.LittleEndian.Uint16(f.Data[centre:])) * f.DepthUnits
		fmt.Printf("frame %d, %dx%d: %.3f m at the centre\n", f.Number, f.Width, f.Height, metres)
		n++
	}
	if _, err := cursor.Damaged(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// frame 100, 64x48: 13.938 m at the centre
	// frame 101, 64x48: 5.647 m at the centre
	// frame 102, 64x48: 13.122 m at the centre
}
