package process

import (
	"rsros/camdriver"
	"rsros/camdriver/process/internal/smooth"
)

// HoleFilling fills pixels without depth from their neighbours.
type HoleFilling struct{ block }

// NewHoleFilling returns a block that fills with the farthest neighbour.
func NewHoleFilling(res *Resources) *HoleFilling {
	return &HoleFilling{newBlock(res, "Hole Filling Filter",
		newOption(camdriver.OptionHolesFill, strict, 0, 2, 1, 1,
			"Hole filling mode: 0 from the left, 1 farthest around, 2 nearest around"))}
}

// Process swaps "farthest" and "nearest" if the image is disparity.
func (h *HoleFilling) Process(s *Set) error { return each(s, isDepthOrDisparity, h.apply) }

func (h *HoleFilling) apply(img Image) (Image, error) {
	out, err := h.like(img)
	if err != nil {
		return Image{}, err
	}
	mode := int(h.get(camdriver.OptionHolesFill))
	h.share(h, h.in.height)
	if img.Frame.Profile.Format == camdriver.Z16 {
		fillHoles[uint16](&h.out, mode)
	} else {
		fillHoles[float32](&h.out, mode)
	}
	return out, nil
}

// rows copies the image. Filling is sequential, because it depends on filled pixels.
func (h *HoleFilling) rows(_, from, to int) {
	for y := from; y < to; y++ {
		copy(h.out.row(y), h.in.row(y))
	}
}

func fillHoles[T smooth.Sample](p *plane, mode int) {
	if mode == 0 {
		for y := range p.height {
			smooth.FillFromLeft(rowOf[T](p, y))
		}
		return
	}
	for y := 1; y < p.height-1; y++ {
		above, row, below := rowOf[T](p, y-1), rowOf[T](p, y), rowOf[T](p, y+1)
		if mode == 1 {
			smooth.FillLargest(above, row, below)
		} else {
			smooth.FillSmallest(above, row, below)
		}
	}
}
