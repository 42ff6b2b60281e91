package process

import (
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/process/internal/smooth"
)

// Decimation reduces the size of images: depth by the median or mean of valid pixels,
// other images by the mean. Sizes are padded with zeros to a multiple of 4.
type Decimation struct {
	block
	by            int // of profiles
	format        camdriver.Format
	width, height int // without padding
}

// NewDecimation returns a block that halves depth. The options Stream Filter, Stream
// Format Filter and Stream Index Filter select other images.
func NewDecimation(res *Resources) *Decimation {
	return &Decimation{block: newBlock(res, "Decimation Filter",
		newOption(camdriver.OptionStreamFilter, strict, 0, 11, 1, float32(camdriver.Depth), "Stream type"),
		newOption(camdriver.OptionStreamFormatFilter, strict, 0, 34, 1, float32(camdriver.Z16), "Stream format"),
		newOption(camdriver.OptionStreamIndexFilter, strict, -1, 16, 1, -1, "Stream index"),
		newOption(camdriver.OptionFilterMagnitude, strict, 1, 8, 1, 2, "Decimation scale"))}
}

// chosen reports whether the options select an image.
func (d *Decimation) chosen(img Image) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := &img.Frame.Profile
	kind, format, index := d.value(camdriver.OptionStreamFilter), d.value(camdriver.OptionStreamFormatFilter),
		d.value(camdriver.OptionStreamIndexFilter)
	return (kind == 0 || kind == float32(p.Stream.Kind)) &&
		(format == 0 || format == float32(p.Format)) &&
		(index == -1 || index == float32(p.Stream.Index))
}

// Process ignores images of unknown formats.
func (d *Decimation) Process(s *Set) error { return each(s, d.wants, d.apply) }

func (d *Decimation) wants(img Image) bool {
	switch img.Frame.Profile.Format {
	case camdriver.Z16, camdriver.Y8, camdriver.Y16, camdriver.RGB8, camdriver.BGR8,
		camdriver.RGBA8, camdriver.BGRA8, camdriver.YUYV, camdriver.UYVY:
		return d.chosen(img)
	}
	return false
}

func (d *Decimation) apply(img Image) (Image, error) {
	by := int(d.get(camdriver.OptionFilterMagnitude))
	var err error
	if d.in, err = planeOf(img.Frame); err != nil {
		return Image{}, err
	}
	d.format, d.width, d.height = img.Frame.Profile.Format, d.in.width/by, d.in.height/by
	if d.width == 0 || d.height == 0 {
		return Image{}, fmt.Errorf("cannot divide %d×%d pixels by %d: %w", d.in.width,
			d.in.height, by, camdriver.ErrUnsupported)
	}
	if by != d.by {
		d.profiles, d.by = nil, by
	}
	p := d.profiles.of(img.Profile, d.derive)
	if p.Width < d.width || p.Height < d.height {
		return Image{}, fmt.Errorf("frame has %d×%d pixels in a stream of %d×%d: %w", d.in.width, d.in.height,
			img.Profile.Width, img.Profile.Height, ErrBadFrame)
	}
	out, err := d.output(img, p)
	if err != nil {
		return Image{}, err
	}
	d.share(d, d.out.height)
	return out, nil
}

// derive divides a profile. As in the SDK, the principal point is relative to the corner of the first pixel.
func (d *Decimation) derive(p *Profile) *Profile {
	q := p.derived(p.Format, (p.Width/d.by+3)&^3, (p.Height/d.by+3)&^3)
	by := float32(d.by)
	in := &q.Intrinsics
	in.Fx, in.Fy = float64(float32(in.Fx)/by), float64(float32(in.Fy)/by)
	in.Ppx, in.Ppy = float64(float32(in.Ppx)/by), float64(float32(in.Ppy)/by)
	return q
}

func (d *Decimation) rows(_, from, to int) {
	for y := from; y < to; y++ {
		out := d.out.row(y)
		if y >= d.height {
			clear(out)
			continue
		}
		used := d.width * d.in.size
		switch d.format {
		case camdriver.Z16:
			d.depth(d.out.row16(y)[:d.width], y*d.by)
		case camdriver.Y16:
			mean(d, d.out.row16(y)[:d.width], y*d.by, 1)
		case camdriver.YUYV, camdriver.UYVY:
			used = d.width / 2 * 4
			d.pairs(out[:used], y*d.by)
		default:
			mean(d, out[:used], y*d.by, d.in.size)
		}
		clear(out[used:])
	}
}

func (d *Decimation) depth(out []uint16, y int) {
	switch d.by {
	case 1:
		copy(out, d.in.row16(y))
	case 2:
		smooth.Median4(out, d.in.row16(y), d.in.row16(y+1))
	case 3:
		smooth.Median9(out, d.in.row16(y), d.in.row16(y+1), d.in.row16(y+2))
	default:
		var rows [8][]uint16
		for k := range d.by {
			rows[k] = d.in.row16(y + k)
		}
		smooth.Mean(out, rows[:d.by])
	}
}
