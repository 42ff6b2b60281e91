package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"rsros/bagstore/tools/imagefile"
	"rsros/camdriver/process"
	"rsros/msgs/imagetransport"
)

// The forms of images.
const (
	imagesPNG  = "png"
	imagesJPEG = "jpeg"
)

// ImageForms are the choices for Options.Images. Depth is PNG in any case.
var ImageForms = []string{imagesPNG, imagesJPEG}

// jpegQuality is that of libjpeg.
const jpegQuality = 95

// images encodes the images of rows on all cores, and hands the rows on in order.
type images struct {
	out     *folder
	form    string
	row     func(cells) error
	pending []*pendingRow
	streams []*imageStream
}

// imageStream is the feature of a stream.
type imageStream struct {
	name   string
	depth  bool
	counts *histogram
	step   int // between the pixels that are counted
}

type pendingRow struct {
	cells  cells
	files  []bytes.Buffer
	errs   []error
	encode sync.WaitGroup
}

// describe returns the feature of a stream by its first image.
func (m *images) describe(name string, img process.Image, e *StreamEntry) feature {
	n, bits := imagefile.Of(img.Frame).Channels()
	s := &imageStream{name: name, depth: e.Depth > 0, counts: newHistogram(n, bits), step: 1}
	if side := max(e.Width, e.Height); side >= 300 { // as LeRobot counts
		s.step = side / 150
	}
	m.streams = append(m.streams, s)
	info := map[string]any{"is_depth_map": s.depth, "stream": e.Stream, "clock": e.Clock}
	if e.Lens != nil {
		info["intrinsics"] = e.Lens
	}
	if e.Turn != nil {
		info["extrinsics"], info["reference"] = e.Turn, e.Reference
	}
	if s.depth {
		info["depth_m"] = e.Depth
		if e.Depth == 0.001 {
			info["depth_unit"] = "mm"
		}
	}
	return feature{Type: "image", Shape: []int{e.Height, e.Width, n}, Names: []string{"height", "width", "channels"}, Info: info}
}

// add encodes the images of a row. It retains their frames while it needs them.
func (m *images) add(row cells, list []process.Image) error {
	p := &pendingRow{cells: row, files: make([]bytes.Buffer, len(list)), errs: make([]error, len(list))}
	m.pending = append(m.pending, p)
	for i, img := range list {
		m.streams[i].count(imagefile.Of(img.Frame))
		frame := img.Frame.Retain()
		p.encode.Add(1)
		err := m.out.work.Do(func() error {
			defer p.encode.Done()
			defer frame.Release()
			img := imagefile.Of(frame)
			img.Stored = m.out.manifest.Options.Stored
			p.errs[i] = m.encode(&p.files[i], img)
			return p.errs[i]
		})
		if err != nil {
			return err
		}
	}
	if len(m.pending) > 2*runtime.GOMAXPROCS(0) {
		return m.next()
	}
	return nil
}

// next hands the first row on.
func (m *images) next() error {
	p := m.pending[0]
	m.pending = m.pending[1:]
	p.encode.Wait()
	if err := errors.Join(p.errs...); err != nil {
		return err
	}
	for i, s := range m.streams {
		p.cells[s.name] = picture{fmt.Sprintf("frame-%06d%s", p.cells["frame_index"], m.ext(s)), p.files[i].Bytes()}
	}
	return m.row(p.cells)
}

func (m *images) ext(s *imageStream) string {
	if m.form == imagesJPEG && len(s.counts.counts[0]) == 256 {
		return ".jpg"
	}
	return ".png"
}

var encoders = sync.Pool{New: func() any { return new(imagetransport.Encoder) }}

func (m *images) encode(to *bytes.Buffer, p imagefile.Image) error {
	n, bits := p.Channels()
	if m.form != imagesJPEG || bits > 8 {
		return p.Encode(to)
	}
	e := encoders.Get().(*imagetransport.Encoder)
	defer encoders.Put(e)
	pic := imagetransport.Picture{Encoding: p.Encoding, Width: p.Width, Height: p.Height, Step: p.Stride, Data: p.Data}
	if n > 1 {
		pic.Encoding, pic.Step, pic.Data = "rgb8", 3*p.Width, p.RGB()
	}
	_, file, err := e.Compress(nil, pic, imagetransport.Options{Format: imagetransport.JPEG, JPEGQuality: jpegQuality, PNGLevel: 1})
	if err == nil {
		_, err = to.Write(file)
	}
	return err
}

// count adds pixels of an image to the statistics.
func (s *imageStream) count(p imagefile.Image) {
	n, bits := p.Channels()
	row := make([]byte, n*bits/8*p.Width)
	for y := 0; y < p.Height; y += s.step {
		p.Row(y, row)
		s.counts.row(row, s.step)
	}
	s.counts.images++
}

// finish hands all rows on, and returns the statistics.
func (m *images) finish(stats map[string]*summary) error {
	for len(m.pending) > 0 {
		if err := m.next(); err != nil {
			return err
		}
	}
	for _, s := range m.streams {
		scale := float64(len(s.counts.counts[0]) - 1)
		if s.depth {
			scale = 1
		}
		stats[s.name] = s.counts.finish(scale)
	}
	return nil
}
