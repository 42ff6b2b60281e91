package process

import (
	"math"

	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// Colorizer adds an image of depth or disparity: RGB8 of the depth stream.
type Colorizer struct {
	block
	scheme   int // of table
	table    []uint32
	counts   [][]uint32 // histograms, by slot
	colour   []uint32   // by depth, or by integral disparity
	equal    bool
	depth    bool
	low      float32 // of fixed disparity
	span     float32
	counting bool // computing histograms
}

// values is the number of depth values.
const values = 65536

// NewColorizer returns a block for equalized images in Jet.
func NewColorizer(res *Resources) *Colorizer {
	c := &Colorizer{scheme: -1, counts: make([][]uint32, res.workers.slots()), block: newBlock(res, "Depth Visualization",
		newOption(camdriver.OptionVisualPreset, strict, 0, 3, 1, 0,
			"Preset depth colorization: 0 Dynamic, 1 Fixed, 2 Near, 3 Far"),
		newOption(camdriver.OptionColorScheme, strict, 0, float32(colorSchemes-1), 1, 0,
			"Color scheme: 0 Jet, 1 Classic, 2 White to Black, 3 Black to White, 4 Bio, 5 Cold, 6 Warm, 7 Quantized, 8 Pattern, 9 Hue"),
		newOption(camdriver.OptionHistogramEqualizationEnabled, strict, 0, 1, 1, 1, "Perform histogram equalization"),
		newOption(camdriver.OptionMinDistance, continuous, 0, farthest, 0.1, 0, "Min range in meters"),
		newOption(camdriver.OptionMaxDistance, continuous, 0, farthest, 0.1, 6, "Max range in meters"))}
	c.changed = c.follow
	return c
}

// presets are the settings of Visual Preset.
var presets = [...]struct{ equalize, scheme, least, most float32 }{
	{equalize: 1, scheme: 0, least: 0, most: 6},
	{equalize: 0, scheme: 0, least: 0, most: 6},
	{equalize: 0, scheme: 1, least: 0.3, most: 1.5},
	{equalize: 0, scheme: 0, least: 1, most: 16},
}

// follow changes options that depend on another.
func (c *Colorizer) follow(id camdriver.OptionID, value float32) {
	switch id {
	case camdriver.OptionMinDistance, camdriver.OptionMaxDistance:
		c.pushDistances(id, value)
		c.put(camdriver.OptionHistogramEqualizationEnabled, 0)
	case camdriver.OptionVisualPreset:
		p := presets[int(value)]
		c.put(camdriver.OptionHistogramEqualizationEnabled, p.equalize)
		c.put(camdriver.OptionColorScheme, p.scheme)
		if value != 0 {
			c.put(camdriver.OptionMinDistance, p.least)
			c.put(camdriver.OptionMaxDistance, p.most)
		}
	}
}

func (c *Colorizer) Process(s *Set) error { return each(s, isDepthOrDisparity, c.apply) }

func (c *Colorizer) apply(img Image) (Image, error) {
	p := c.profiles.of(img.Profile, func(p *Profile) *Profile {
		return p.derived(camdriver.RGB8, p.Width, p.Height)
	})
	out, err := c.make(img, p)
	if err != nil {
		return Image{}, err
	}
	c.mu.Lock()
	scheme := int(c.value(camdriver.OptionColorScheme))
	c.equal = c.value(camdriver.OptionHistogramEqualizationEnabled) != 0
	least, most := c.value(camdriver.OptionMinDistance), c.value(camdriver.OptionMaxDistance)
	c.mu.Unlock()
	if scheme != c.scheme {
		c.scheme, c.table = scheme, colorTable(scheme)
	}
	if c.colour == nil {
		c.colour = make([]uint32, values)
	}
	c.depth = img.Frame.Profile.Format == camdriver.Z16
	switch {
	case c.equal:
		c.equalize()
	case c.depth:
		c.fixed(img.Frame.DepthUnits, least, most)
	default:
		c.fixedDisparity(img.Frame.DepthUnits, least, most)
	}
	c.counting = false
	c.share(c, c.in.height)
	return out, nil
}

// pick returns the colour for a fraction of the range, clamped. NaN counts as 0.
func (c *Colorizer) pick(t float32) uint32 {
	last := len(c.table) - 1
	switch {
	case !(t > 0):
		return c.table[0]
	case t >= 1:
		return c.table[last]
	}
	return c.table[int(t*float32(last))]
}

// equalize computes colours by equalizing the histogram.
func (c *Colorizer) equalize() {
	for i := range c.counts {
		c.counts[i] = fresh(c.counts[i], values)
	}
	c.counting = true
	c.share(c, c.in.height)
	sums := c.counts[0]
	for _, more := range c.counts[1:] {
		for d, n := range more {
			sums[d] += n
		}
	}
	holes := sums[0]
	sums[0] = 0
	for d := 1; d < values; d++ {
		sums[d] += sums[d-1]
	}
	sums[0] = holes
	all := float32(sums[values-1])
	for d, n := range sums {
		c.colour[d] = c.pick(float32(n) / all)
	}
	if c.depth {
		c.colour[0] = 0
	}
}

// fixed computes the colours of a range of distances.
func (c *Colorizer) fixed(units, least, most float32) {
	c.colour[0] = 0
	for d := 1; d < values; d++ {
		t := float32(0)
		if least < most {
			t = (float32(float32(d)*units) - least) / (most - least)
		}
		c.colour[d] = c.pick(t)
	}
}

// disparityTimesDistance is the SDK's constant for all cameras.
const disparityTimesDistance = 681678.625

// fixedDisparity computes the range of disparities.
func (c *Colorizer) fixedDisparity(units, least, most float32) {
	high := float32(float32(disparityTimesDistance/max(least, 1e-6))*units) + 0.5
	c.low = float32(float32(disparityTimesDistance/most)*units) + 0.5
	c.span = high - c.low
}

func (c *Colorizer) rows(slot, from, to int) {
	for y := from; y < to; y++ {
		switch {
		case c.counting && c.depth:
			counts := (*[values]uint32)(c.counts[slot])
			for _, d := range c.in.row16(y) {
				counts[d]++
			}
		case c.counting:
			counts := (*[values]uint32)(c.counts[slot])
			for _, p := range rowOf[float32](&c.in, y) {
				counts[level(p)]++
			}
		case c.depth:
			colours := (*[values]uint32)(c.colour)
			out := c.out.row(y)
			for x, d := range c.in.row16(y) {
				put(out[3*x:], colours[d])
			}
		default:
			c.paintDisparity(c.out.row(y), rowOf[float32](&c.in, y))
		}
	}
}

func (c *Colorizer) paintDisparity(out []byte, in []float32) {
	for x, p := range in {
		rgb := uint32(0)
		switch {
		case p == 0:
		case c.equal:
			rgb = c.colour[level(p)]
		default:
			rgb = c.pick((p - c.low) / c.span)
		}
		put(out[3*x:], rgb)
	}
}

// level returns the integral part of a disparity, clamped to the histogram.
func level(p float32) uint16 {
	return uint16(min(max(lens.Truncated(min(p, math.MaxUint16)), 0), math.MaxUint16))
}

func put(to []byte, rgb uint32) {
	_ = to[2]
	to[0], to[1], to[2] = byte(rgb), byte(rgb>>8), byte(rgb>>16)
}
