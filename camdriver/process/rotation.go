package process

import (
	"slices"

	"rsros/camdriver"
)

// Rotation rotates images. As in the SDK, extrinsics are not changed, so don't align rotated images.
type Rotation struct {
	block
	streams []camdriver.StreamKind
	angle   int // of profiles
}

// NewRotation returns a block that rotates the images of the given kinds of stream, or of
// depth by default. The option Rotation is in degrees clockwise.
func NewRotation(res *Resources, streams ...camdriver.StreamKind) *Rotation {
	if len(streams) == 0 {
		streams = []camdriver.StreamKind{camdriver.Depth}
	}
	return &Rotation{streams: streams, block: newBlock(res, "Rotation Filter",
		newOption(camdriver.OptionRotation, strict, -90, 180, 90, 0, "Rotation angle"))}
}

func (r *Rotation) Process(s *Set) error { return each(s, r.wants, r.apply) }

func (r *Rotation) Reset() { r.profiles = nil }

func (r *Rotation) wants(img Image) bool {
	p := &img.Frame.Profile
	if !slices.Contains(r.streams, p.Stream.Kind) || p.Format.BitsPerPixel()%8 != 0 || p.Format == camdriver.XYZ32F {
		return false
	}
	angle := int(r.get(camdriver.OptionRotation))
	if angle != r.angle {
		r.angle, r.profiles = angle, nil
	}
	pair := p.Format == camdriver.YUYV || p.Format == camdriver.UYVY
	return angle != 0 && !pair // pixels with subsampled colour cannot be separated
}

func (r *Rotation) apply(img Image) (Image, error) {
	var err error
	if r.in, err = planeOf(img.Frame); err != nil {
		return Image{}, err
	}
	p := r.profiles.of(img.Profile, r.derive)
	made, err := r.output(img, p)
	if err != nil {
		return Image{}, err
	}
	width, height := r.in.width, r.in.height
	if r.angle != 180 {
		width, height = height, width
	}
	if r.out.width != width || r.out.height != height || r.out.size != r.in.size {
		made.Frame.Release()
		return Image{}, ErrBadFrame
	}
	r.share(r, (r.out.height+tile-1)/tile)
	return made, nil
}

// derive rotates a profile.
func (r *Rotation) derive(p *Profile) *Profile {
	in := p.Intrinsics
	width, height := float32(in.Width), float32(in.Height)
	ppx, ppy := float32(in.Ppx), float32(in.Ppy)
	if r.angle == 180 {
		q := p.derived(p.Format, p.Width, p.Height)
		q.Intrinsics.Ppx, q.Intrinsics.Ppy = float64(width-ppx), float64(height-ppy)
		return q
	}
	q := p.derived(p.Format, p.Height, p.Width)
	q.Intrinsics.Fx, q.Intrinsics.Fy = in.Fy, in.Fx
	if r.angle == 90 {
		q.Intrinsics.Ppx, q.Intrinsics.Ppy = float64(height-ppy), in.Ppx
	} else {
		q.Intrinsics.Ppx, q.Intrinsics.Ppy = in.Ppy, float64(width-ppx)
	}
	return q
}

// tile is the side of the squares in which images are rotated, for cache locality.
const tile = 16

// rows writes bands of tile rows of the result.
func (r *Rotation) rows(_, from, to int) {
	for band := from; band < to; band++ {
		top, bottom := band*tile, min(band*tile+tile, r.out.height)
		switch r.out.size {
		case 1:
			turnBytes[[1]byte](r, top, bottom)
		case 2:
			turnBytes[[2]byte](r, top, bottom)
		case 3:
			turnBytes[[3]byte](r, top, bottom)
		case 4:
			turnBytes[[4]byte](r, top, bottom)
		}
	}
}

// turnBytes writes the rows [top, bottom) of the result.
func turnBytes[P [1]byte | [2]byte | [3]byte | [4]byte](r *Rotation, top, bottom int) {
	if r.angle == 180 {
		for y := top; y < bottom; y++ {
			out, in := rowOf[P](&r.out, y), rowOf[P](&r.in, r.in.height-1-y)
			in = in[:len(out)]
			for x := range out {
				out[x] = in[len(in)-1-x]
			}
		}
		return
	}
	for left := 0; left < r.out.width; left += tile {
		turnTile[P](r, left, min(left+tile, r.out.width), top, bottom)
	}
}

// turnTile writes a square of the result. Each of its rows is a column of the image.
func turnTile[P [1]byte | [2]byte | [3]byte | [4]byte](r *Rotation, left, right, top, bottom int) {
	var zero P
	size, first, step := len(zero), left*r.in.stride, r.in.stride
	if r.angle == 90 {
		first, step = (r.in.height-1-left)*r.in.stride, -r.in.stride
	}
	for y := top; y < bottom; y++ {
		column := y
		if r.angle == -90 {
			column = r.in.width - 1 - y
		}
		out, at := rowOf[P](&r.out, y)[left:right], first+column*size
		for x := range out {
			out[x] = P(r.in.data[at:][:size])
			at += step
		}
	}
}
