package d435i

// Size is an image size and its frame rates, fastest first.
type Size struct {
	W, H int
	FPS  []int
}

// StereoSizes and ColorSizes are those of a D435i on USB 3. They must not be changed.
var (
	StereoSizes = []Size{
		{256, 144, []int{300, 90}},
		{424, 240, []int{90, 60, 30, 15, 6}},
		{480, 270, []int{90, 60, 30, 15, 6}},
		{640, 360, []int{90, 60, 30, 15, 6}},
		{640, 480, []int{90, 60, 30, 15, 6}},
		{848, 100, []int{300, 100}},
		{848, 480, []int{90, 60, 30, 15, 6}},
		{1280, 720, []int{30, 15, 6}},
	}
	ColorSizes = []Size{
		{320, 180, []int{60, 30, 6}},
		{320, 240, []int{60, 30, 6}},
		{424, 240, []int{60, 30, 15, 6}},
		{640, 360, []int{60, 30, 15, 6}},
		{640, 480, []int{60, 30, 15, 6}},
		{848, 480, []int{60, 30, 15, 6}},
		{960, 540, []int{60, 30, 15, 6}},
		{1280, 720, []int{30, 15, 6}},
		{1920, 1080, []int{30, 15, 6}},
	}
)
