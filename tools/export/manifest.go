package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"slices"
)

// manifestFile is a line of the manifest: one file and the message in it.
type manifestFile struct {
	File string `json:"file"`
	facts
	Encoding string  `json:"encoding,omitempty"`  // in the bag
	Stride   int     `json:"stride,omitempty"`    // bytes from row to row, of .raw files
	Units    float64 `json:"depth_m,omitempty"`   // metres per unit of a depth image
	Map      any     `json:"map,omitempty"`       // where the cells of an occupancy map lie
	Points   int     `json:"points,omitempty"`    // at most, of a point cloud
	Colour   *uint64 `json:"colour_of,omitempty"` // the number of the colour frame of a point cloud or of aligned depth
}

func (m *manifestFile) describe(p Image, encoding string) {
	m.Width, m.Height, m.Encoding = p.Width, p.Height, encoding
	if p.Ext() == ".raw" {
		m.Stride = p.Step
	}
}

type manifestStream struct {
	Name       string `json:"name"`
	Topic      string `json:"topic,omitempty"`
	Place      string `json:"place"` // folder, or name before .csv
	Profile    string `json:"profile,omitempty"`
	Frames     uint64 `json:"frames"` // in the bag
	Intrinsics any    `json:"intrinsics,omitempty"`
	Extrinsics any    `json:"extrinsics,omitempty"` // maps points of the reference stream to this one
	Motion     any    `json:"motion_intrinsics,omitempty"`
}

// manifest is written while files are, because it may list millions.
type manifest struct {
	w       *bufio.Writer
	err     error
	files   int
	device  map[string]string
	ref     string // stream that extrinsics start from
	streams []*manifestStream
	tables  []string
}

func newManifest(w io.Writer, bag string) *manifest {
	m := &manifest{w: bufio.NewWriter(w)}
	m.print(`{"bag":`)
	m.value(bag)
	m.print(",\n\"files\":[")
	m.err = cmp.Or(m.err, m.w.Flush()) // before a file exists: after a kill, the next export knows what is here
	return m
}

func (m *manifest) add(f manifestFile) {
	if m.files > 0 {
		m.print(",")
	}
	m.files++
	m.print("\n ")
	m.value(f)
	m.err = cmp.Or(m.err, m.w.Flush())
}

// close ends the list of files and adds what is known at the end.
func (m *manifest) close() error {
	m.print("\n],\n\"device\":")
	m.value(m.device)
	m.print(",\n\"reference\":")
	m.value(m.ref)
	m.print(",\n\"streams\":[")
	for i, s := range m.streams {
		if i > 0 {
			m.print(",")
		}
		m.print("\n ")
		m.value(s)
	}
	m.print("\n],\n\"tables\":")
	slices.Sort(m.tables)
	m.value(append([]string{}, m.tables...))
	m.print("}\n")
	if m.err != nil {
		return m.err
	}
	return m.w.Flush()
}

func (m *manifest) print(text string) {
	if m.err == nil {
		_, m.err = m.w.WriteString(text)
	}
}

func (m *manifest) value(v any) {
	text, err := json.Marshal(v)
	if m.err == nil {
		m.err = err
	}
	m.print(string(text))
}
