package model

import (
	"slices"
	"testing"

	"rsros/camdriver"
)

func TestVariants(t *testing.T) {
	for id, want := range map[uint16][]string{
		D405: {"D401"}, D435: {"D435F"}, D435I: {"D435IF"}, D455: {"D455F", "D456", "D456F"}, D430: nil, 0x0ad3: nil, 0x1156: nil,
	} {
		p, ok := ProductOf(id)
		var got []string
		for _, v := range p.Variants() {
			got = append(got, v.Model)
		}
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s has variants %v, want %v", p.Model, got, want)
		}
	}
	// The description of a camera says it, from some version and firmware on.
	for _, test := range []struct {
		gvd     GVD
		version byte
		want    string
	}{
		{GVD{Firmware: Version{5, 15}, IRFilter: true}, 4, "D455F"},
		{GVD{Firmware: Version{5, 15}, Sealed: true}, 4, "D456"},
		{GVD{Firmware: Version{5, 15}, Sealed: true}, 3, "D455"},
		{GVD{Firmware: Version{5, 10}, Sealed: true}, 4, "D455"},
	} {
		b := test.gvd.Encode()
		b[gvdVersion] = test.version
		g, err := ParseGVD(b)
		p, _ := ProductOf(D455)
		if got := p.As(g); err != nil || got.Model != test.want || got.Colored != (g.Firmware == Version{5, 15}) {
			t.Errorf("%+v, version %d: %+v, %v", test.gvd, test.version, got, err)
		}
	}
	d401, _ := ProductOf(D405)
	if d401 = d401.As(GVD{Hardware: 7}); d401.Model != "D401" || d401.Alone {
		t.Errorf("%+v", d401)
	}
}

// TestAutoExposureOfColor parses the block of colour frames: the number is one of UVC's modes, or a switch.
func TestAutoExposureOfColor(t *testing.T) {
	for _, test := range []struct {
		raw    uint32
		isMode bool
		want   int64
	}{{1, true, 0}, {8, true, 1}, {1, false, 1}, {0, false, 0}} {
		m := Metadata{Switch: !test.isMode}
		err := m.Parse(Block(BlockRGBControl, 72, 1, 1<<4, 0, 0, 0, 0, test.raw), 0)
		if got, ok := m.Get(camdriver.MetaAutoExposure); err != nil || !ok || got != test.want {
			t.Errorf("%d, mode %v: %d %v, want %d, %v", test.raw, test.isMode, got, ok, test.want, err)
		}
	}
}
