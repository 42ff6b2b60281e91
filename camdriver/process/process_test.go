package process_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
)

// newResources returns resources that are closed at the end of the test, when all frames
// must have been released.
func newResources(t testing.TB, processors int) *process.Resources {
	res := process.NewResources(1<<30, processors)
	t.Cleanup(func() {
		res.Close()
		if n := res.InUse(); n != 0 {
			t.Errorf("%d bytes of frames were not released", n)
		}
	})
	return res
}

// profile returns a profile with a field of view of about 60°.
func profile(kind camdriver.StreamKind, format camdriver.Format, width, height int) *process.Profile {
	e := camdriver.Identity()
	return &process.Profile{
		Profile: camdriver.Profile{Stream: camdriver.StreamID{Kind: kind}, Format: format, Width: width, Height: height, FPS: 30},
		Intrinsics: camdriver.Intrinsics{
			Width: width, Height: height, Fx: float64(width), Fy: float64(width), Ppx: float64(width) / 2, Ppy: float64(height) / 2,
		},
		Extrinsics: &e, Baseline: 50,
	}
}

// image returns a frame of p with the given number and pixels; nil means 0.
func image(p *process.Profile, number uint64, pixels []byte) process.Image {
	f := camdriver.NewFrame(nil)
	f.Profile, f.Number, f.Timestamp, f.DepthUnits = p.Profile, number, float64(number)*1000/30, 0.001
	f.Width, f.Height, f.Stride = p.Width, p.Height, p.Width*p.Format.BitsPerPixel()/8
	f.Data = make([]byte, f.Stride*f.Height)
	copy(f.Data, pixels)
	return process.Image{Frame: f, Profile: p}
}

// depthOf returns a depth image.
func depthOf(p *process.Profile, number uint64, depth ...uint16) process.Image {
	var pixels []byte
	for _, d := range depth {
		pixels = append(pixels, byte(d), byte(d>>8))
	}
	return image(p, number, pixels)
}

func formats(s *process.Set) (out []camdriver.Format) {
	for _, img := range s.Images {
		out = append(out, img.Frame.Profile.Format)
	}
	return out
}

// TestSetOrder checks that a result replaces its input or precedes it.
func TestSetOrder(t *testing.T) {
	res := newResources(t, 1)
	depth := profile(camdriver.Depth, camdriver.Z16, 8, 4)
	color := profile(camdriver.Color, camdriver.RGB8, 8, 4)
	for _, c := range []struct {
		block process.Block
		want  []camdriver.Format
	}{
		{process.NewSpatial(res), []camdriver.Format{camdriver.Z16, camdriver.RGB8}},
		{process.NewDisparity(res), []camdriver.Format{camdriver.Disparity32, camdriver.RGB8}},
		{process.NewDepth(res), []camdriver.Format{camdriver.RGB8, camdriver.Z16}}, // nothing to do
		{process.NewColorizer(res), []camdriver.Format{camdriver.RGB8, camdriver.RGB8, camdriver.Z16}},
		{process.NewAlign(res, camdriver.Color), []camdriver.Format{camdriver.Z16, camdriver.RGB8}},
		{process.NewAlign(res, camdriver.Depth), []camdriver.Format{camdriver.RGB8, camdriver.Z16}},
		{process.NewPointCloud(res, color.Stream), []camdriver.Format{camdriver.XYZ32F, camdriver.RGB8, camdriver.Z16}},
	} {
		var set process.Set
		set.Add(image(color, 1, nil))
		set.Add(depthOf(depth, 1))
		if err := c.block.Process(&set); err != nil {
			t.Errorf("%s: %v", c.block.Name(), err)
		}
		if got := formats(&set); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.block.Name(), got, c.want)
		}
		set.Release()
	}
}

// TestErrorsKeepTheSet checks that after an error the set is unchanged and nothing leaks.
func TestErrorsKeepTheSet(t *testing.T) {
	depth := profile(camdriver.Depth, camdriver.Z16, 8, 4)
	color := profile(camdriver.Color, camdriver.RGB8, 8, 4)
	lost, blind, pairs, short := *color, *color, *profile(camdriver.Color, camdriver.YUYV, 8, 4), *color
	lost.Extrinsics = nil
	blind.Intrinsics = camdriver.Intrinsics{}
	for name, c := range map[string]struct {
		limit int64
		other *process.Profile
		to    camdriver.StreamKind
		cut   int
		want  error
	}{
		"no place":      {1 << 20, &lost, camdriver.Color, 0, process.ErrUncalibrated},
		"no intrinsics": {1 << 20, &blind, camdriver.Depth, 0, process.ErrUncalibrated},
		"shared colour": {1 << 20, &pairs, camdriver.Depth, 0, camdriver.ErrUnsupported},
		"too few bytes": {1 << 20, &short, camdriver.Depth, 1, process.ErrBadFrame},
		"no memory":     {1, color, camdriver.Color, 0, process.ErrNoBuffer},
	} {
		t.Run(name, func(t *testing.T) {
			res := process.NewResources(c.limit, 2)
			defer res.Close()
			var set process.Set
			set.Add(depthOf(depth, 1))
			other := image(c.other, 1, nil)
			other.Frame.Data = other.Frame.Data[c.cut:]
			set.Add(other)
			err := process.NewAlign(res, c.to).Process(&set)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if got := formats(&set); !slices.Equal(got, []camdriver.Format{camdriver.Z16, c.other.Format}) {
				t.Errorf("set has changed to %v", got)
			}
			set.Release()
			if res.InUse() != 0 {
				t.Errorf("%d bytes in use", res.InUse())
			}
		})
	}
}

func TestOptions(t *testing.T) {
	res := newResources(t, 1)
	value := func(b process.Block, id camdriver.OptionID) float32 {
		for _, o := range b.Options() {
			if o.ID == id {
				return o.Value
			}
		}
		t.Fatalf("%s has no option %s", b.Name(), id)
		return 0
	}
	must := func(b process.Block, id camdriver.OptionID, v float32) {
		t.Helper()
		if err := b.SetOption(id, v); err != nil {
			t.Error(err)
		}
	}
	spatial := process.NewSpatial(res)
	must(spatial, camdriver.OptionFilterMagnitude, 3.9)
	if v := value(spatial, camdriver.OptionFilterMagnitude); v != 3 {
		t.Errorf("3.9 iterations became %g, want 3", v)
	}
	for _, v := range []float32{0.24, 1.01, float32(math.NaN()), float32(math.Inf(1))} {
		if spatial.SetOption(camdriver.OptionFilterSmoothAlpha, v) == nil {
			t.Errorf("alpha %g was accepted", v)
		}
	}
	if err := spatial.SetOption(camdriver.OptionColorScheme, 1); !errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("option of another block: %v", err)
	}
	if process.NewDecimation(res).SetOption(camdriver.OptionFilterMagnitude, 2.5) == nil {
		t.Error("decimation by 2.5 was accepted")
	}
	threshold := process.NewThreshold(res)
	must(threshold, camdriver.OptionMinDistance, 5)
	if v := value(threshold, camdriver.OptionMaxDistance); v != 16 {
		t.Errorf("maximum is %g after a larger minimum, want 16", v)
	}
	must(threshold, camdriver.OptionMaxDistance, 2)
	if v := value(threshold, camdriver.OptionMinDistance); v != 0 {
		t.Errorf("minimum is %g after a smaller maximum, want 0", v)
	}
	colorizer := process.NewColorizer(res)
	must(colorizer, camdriver.OptionMaxDistance, 6)
	if v := value(colorizer, camdriver.OptionHistogramEqualizationEnabled); v != 0 {
		t.Error("equalization is on after setting a distance")
	}
	must(colorizer, camdriver.OptionVisualPreset, 0)
	if v := value(colorizer, camdriver.OptionHistogramEqualizationEnabled); v != 1 {
		t.Error("equalization is off after the dynamic preset")
	}
	must(colorizer, camdriver.OptionMinDistance, 1)
	must(colorizer, camdriver.OptionHistogramEqualizationEnabled, 1)
	other := process.NewColorizer(res)
	process.CopyOptions(other, colorizer)
	if got, want := other.Options(), colorizer.Options(); !slices.Equal(got, want) {
		t.Errorf("copied options are %v, want %v", got, want)
	}
}

// TestTemporalStartsAfresh checks that another profile and Reset clear the history.
func TestTemporalStartsAfresh(t *testing.T) {
	res := newResources(t, 1)
	p := profile(camdriver.Depth, camdriver.Z16, 4, 1)
	again := *p
	for name, next := range map[string]struct {
		profile *process.Profile
		between func(process.Block)
		want    byte
	}{
		"the same":        {p, func(process.Block) {}, 104},
		"another profile": {&again, func(process.Block) {}, 110},
		"a seek":          {p, process.Block.Reset, 110},
		"another alpha":   {p, func(b process.Block) { set(t, b, camdriver.OptionFilterSmoothAlpha, 0.4) }, 110},
		"another delta":   {p, func(b process.Block) { set(t, b, camdriver.OptionFilterSmoothDelta, 50) }, 104},
	} {
		t.Run(name, func(t *testing.T) {
			b := process.NewTemporal(res)
			for i, img := range []process.Image{depthOf(p, 1, 100, 100, 100, 100), depthOf(next.profile, 2, 110, 110, 110, 110)} {
				var set process.Set
				set.Add(img)
				if i == 1 {
					next.between(b)
				}
				need.Must(t, b.Process(&set))
				if got := set.Images[0].Frame.Data[0]; i == 1 && got != next.want {
					t.Errorf("got %d, want %d", got, next.want)
				}
				set.Release()
			}
		})
	}
}

// TestProfilesStay checks that the same input profiles lead to the same output profiles, so
// that later blocks keep their tables.
func TestProfilesStay(t *testing.T) {
	res := newResources(t, 1)
	depth := profile(camdriver.Depth, camdriver.Z16, 16, 8)
	left := profile(camdriver.Infrared, camdriver.Y8, 16, 8)
	right := *left
	left.Stream.Index, right.Stream.Index = 1, 2
	decimation, rotation := process.NewDecimation(res), process.NewRotation(res, camdriver.Depth, camdriver.Infrared)
	set(t, decimation, camdriver.OptionStreamFilter, 0)
	set(t, decimation, camdriver.OptionStreamFormatFilter, 0)
	set(t, rotation, camdriver.OptionRotation, 90)
	chain := process.Chain{decimation, rotation, process.NewAlign(res, camdriver.Depth)}
	var first []*process.Profile
	for i := range uint64(3) {
		var s process.Set
		s.Add(depthOf(depth, i))
		s.Add(image(left, i, nil))
		s.Add(image(&right, i, nil))
		need.Must(t, chain.Process(&s))
		var profiles []*process.Profile
		for _, img := range s.Images {
			profiles = append(profiles, img.Profile)
		}
		if i == 0 {
			first = profiles
		} else if !slices.Equal(first, profiles) {
			t.Errorf("set %d has different profiles", i)
		}
		s.Release()
	}
}
