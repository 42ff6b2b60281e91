package d435i

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"rsros/camdriver/model"
)

func size(w, h int, fps ...int) model.Size { return model.Size{W: w, H: h, FPS: fps} }

// published are descriptors of real cameras, from listings in public issues: the fields' numbers in the order in which USB sends them.
// Only these parts of the listings are known.
var published = []struct {
	source string
	iface  byte
	fields string
}{
	// D435i, release 50.c7.
	{"realsenseai/librealsense#13589", 0, "08 0b 00 03 0e 03 00 05"},
	{"realsenseai/librealsense#13589", 2, "1c 24 10 01 .. 32000000000010008000 00aa00389b71 08 01 00 00 00 00 00"}, // Y8
	{"realsenseai/librealsense#13589", 2, "22 24 11 01 00 0001 9000 00009501 00004605 35820000 02 00010000 35820000 07b20100"},
	{"realsenseai/librealsense#13589", 1, "2e 24 11 05 00 8002 e001 0000c201 00005e1a 07b20100 05 00050000 07b20100 0a8b0200 15160500 2a2c0a00 696e1900"},
	{"realsenseai/librealsense#13589", 2, "07 05 83 02 0004 00"},
	{"realsenseai/librealsense#13589", 2, "06 30 0f .. .. .."},
	{"realsenseai/librealsense#13589", 3, "08 0b 03 02 0e 03 00 06"},
	{"realsenseai/librealsense#13589", 3, "09 04 03 00 00 0e 01 00 06"},
	{"realsenseai/librealsense#13589", 4, "26 24 11 08 00 0005 d002 00004605 00005e1a 15160500 03 000a0000 15160500 2a2c0a00 696e1900"},
	// D435i.
	{"realsenseai/librealsense#3475", 3, "1c 24 06 08 6e41ecb8aca380458d5c0bee1597e43d 02 01 07 03 03 00 00 00"},
	{"realsenseai/librealsense#3475", 3, "09 24 03 09 0101 00 07 00"},
	{"realsenseai/librealsense#3475", 4, "1e 24 11 01 00 8007 3804 0080533b 0080533b 15160500 01 000f0000 15160500"}, // raw16
	{"realsenseai/librealsense#3475", 4, "07 05 84 02 0004 00"},
	{"realsenseai/librealsense#3475", 5, "09 04 05 00 01 03 00 00 .."},
	// D435i; the log has the endpoint's numbers in decimal.
	{"state-of-the-art/Handy3DScanner#26", 5, "07 05 86 03 4000 02"},
	// D415, whose depth function has the same units.
	{"realsenseai/librealsense#10277", 0, "09 24 03 04 0101 00 03 00"},
	{"realsenseai/librealsense#10277", 0, "09 24 03 05 0101 00 03 00"},
	{"realsenseai/librealsense#10277", 0, "07 05 87 03 4000 06"},
}

// TestPublished looks for the descriptors of real cameras in the virtual one.
func TestPublished(t *testing.T) {
	c := New(Options{})
	defer c.Unplug()
	var list [][]byte
	var ifaces []byte
	iface := byte(0)
	for d := c.Configuration(); len(d) > 0; d = d[d[0]:] {
		switch d[1] {
		case 4:
			iface = d[2]
		case 11:
			iface = d[2]
		}
		list, ifaces = append(list, d[:d[0]]), append(ifaces, iface)
	}
	for _, p := range published {
		want := strings.ReplaceAll(p.fields, " ", "")
		found, near := false, ""
		for i, d := range list {
			if got := hex.EncodeToString(d); ifaces[i] == p.iface && len(got) == len(want) {
				if matches(got, want) {
					found = true
				} else if got[:6] == want[:6] {
					near += "\n" + got
				}
			}
		}
		if !found {
			t.Errorf("%s: interface %d has no %s, but%s", p.source, p.iface, want, near)
		}
	}
}

// matches compares digits, of which those that aren't known are dots.
func matches(got, want string) bool {
	for i := range want {
		if want[i] != '.' && want[i] != got[i] {
			return false
		}
	}
	return true
}

// publishedModes are modes of real D435i, from lists that librealsense's rs-enumerate-devices wrote: format, size, and all rates of
// the size that the list has. Of the lists, only the beginnings are known.
var publishedModes = []struct {
	source, code string
	model.Size
}{
	// Firmware 5.12.14.50; realsense-ros#1920 has the same.
	{"realsenseai/realsense-ros#2788", "Y12I", size(1280, 800, 25, 15)},
	{"realsenseai/realsense-ros#2788", "Y8I ", size(1280, 800, 30, 15)},
	{"realsenseai/realsense-ros#2788", "Y8I ", size(1280, 720, 30, 15, 6)},
	{"realsenseai/realsense-ros#2788", "Y8I ", size(848, 480, 90, 60, 30, 15, 6)},
	{"realsenseai/realsense-ros#2788", "Y8I ", size(848, 100, 300, 100)},
	{"realsenseai/realsense-ros#2788", "Y8I ", size(640, 480, 90, 60, 30, 15)},
	// Firmware 5.11.
	{"realsenseai/librealsense#5139", "YUY2", size(1920, 1080, 30, 15, 6)},
	{"realsenseai/librealsense#5139", "BYR2", size(1920, 1080, 30)},
	{"realsenseai/librealsense#5139", "YUY2", size(1280, 720, 30)},
	// A D430i, whose depth function is that of the D435i.
	{"realsenseai/realsense-ros#3006", "Y8I ", size(640, 480, 90, 60, 30, 15, 6)},
	{"realsenseai/realsense-ros#3006", "Y8I ", size(640, 360, 90, 60, 30, 15, 6)},
	{"realsenseai/realsense-ros#3006", "Y8I ", size(480, 270, 90, 60, 30, 15, 6)},
	// A D435, whose depth function is the same, too; the D430i's list has the size. The lists of D435i end before it.
	{"realsenseai/librealsense#4689", "Y12I", size(640, 400, 25, 15)},
}

// TestPublishedModes looks for the modes of real cameras in the virtual one.
func TestPublishedModes(t *testing.T) {
	formats := slices.Concat(Options{}.formats())
	for _, want := range publishedModes {
		found := slices.ContainsFunc(formats, func(f model.Format) bool {
			return f.Code == want.code && slices.ContainsFunc(f.Sizes, func(s model.Size) bool {
				return s.W == want.W && s.H == want.H && slices.Equal(s.FPS[:min(len(s.FPS), len(want.FPS))], want.FPS)
			})
		})
		if !found {
			t.Errorf("%s: no %q of %v", want.source, want.code, want.Size)
		}
	}
}
