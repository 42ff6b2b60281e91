package rsbag_test

import (
	"fmt"
	"log"
	"path/filepath"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// Read the depth images of a RealSense recording.
func ExampleOpen() {
	file, err := rsbag.Open(filepath.Join("..", "..", "..", "test", "data", "librealsense", "sw_small_lz4.bag"), rsbag.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	cursor := file.Cursor(rsbag.CursorOptions{
		FramesOnly: true,
		Streams:    func(id camdriver.StreamID) bool { return id.Kind == camdriver.Depth },
	})
	defer cursor.Close()
	if event, ok := cursor.Next(); ok {
		depth := event.Frame // borrowed until Next; Retain keeps it
		fmt.Printf("%v %dx%d, %g m a unit\n", depth.Stream(), depth.Width, depth.Height, depth.DepthUnits)
	}
	// Output: Depth_0 64x48, 0.00025 m a unit
}
