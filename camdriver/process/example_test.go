package process_test

import (
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/process"
)

// Example filters depth and aligns it to colour.
func Example() {
	depth := profile(camdriver.Depth, camdriver.Z16, 8, 6)
	color := profile(camdriver.Color, camdriver.RGB8, 12, 9)

	res := process.NewResources(256<<20, 2) // bytes, processors
	defer res.Close()
	chain := process.Chain{process.NewSpatial(res), process.NewAlign(res, camdriver.Color)}
	defer chain.Reset()

	var set process.Set // reused for all pairs of frames
	for number := range uint64(2) {
		set.Add(image(depth, number, nil))
		set.Add(image(color, number, nil))
		if err := chain.Process(&set); err != nil {
			fmt.Println(err)
		}
		aligned, _ := set.First(camdriver.Depth, camdriver.Z16)
		fmt.Println(aligned.Frame.Number, aligned.Frame.Profile)
		set.Release()
	}
	// Output:
	// 0 Depth_0 Z16 12x9@30
	// 1 Depth_0 Z16 12x9@30
}
