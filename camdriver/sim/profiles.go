package sim

import (
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// video returns the profiles of a stream. The default has the given size, and 30 frames per second.
func video(id camdriver.StreamID, f camdriver.Format, sizes []model.Size, width, height int) []camdriver.Profile {
	var out []camdriver.Profile
	for _, s := range sizes {
		for _, fps := range s.FPS {
			out = append(out, camdriver.Profile{
				Stream: id, Format: f, Width: s.W, Height: s.H, FPS: fps, Default: s.W == width && s.H == height && fps == 30,
			})
		}
	}
	return out
}

func stereoProfiles() []camdriver.Profile {
	return slices.Concat(
		video(camdriver.DepthStream, camdriver.Z16, model.StereoSizes, 848, 480),
		video(camdriver.LeftStream, camdriver.Y8, model.StereoSizes, 848, 480),
		video(camdriver.RightStream, camdriver.Y8, model.StereoSizes, 848, 480))
}
