package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"rsros/camdriver/process"
	"rsros/msgs/imagetransport"
	"rsros/tools/dataset"
	"rsros/tools/export"
)

// The forms of images.
const (
	imagesPNG  = "png"
	imagesJPEG = "jpeg"
	imagesH264 = "h264"
	imagesHEVC = "hevc"
	depthFFV1  = "ffv1"
	depthHEVC  = "hevc12"
)

// imageForms are the choices for --images, and depthForms those for --depth.
var (
	imageForms = []string{imagesPNG, imagesJPEG, imagesH264, imagesHEVC}
	depthForms = []string{imagesPNG, depthFFV1, depthHEVC}
)

// codecs are the forms that are videos.
var codecs = map[string]*videoCodec{imagesH264: &H264, imagesHEVC: &HEVC, depthFFV1: &FFV1, depthHEVC: &HEVC12}

const (
	jpegQuality = 95       // that of libjpeg
	maxPending  = 16 << 20 // bytes of the images that are being encoded
)

// images encodes the images of rows on all cores, and hands the rows on in order.
type images struct {
	settings
	s       *dataset.Input
	fps     int
	file    string // of the episode
	row     func(cells) error
	pending []*pendingRow
	held    int // bytes of pending
	streams []*imageStream
}

// imageStream is the feature of a stream.
type imageStream struct {
	name     string
	form     string
	depth    bool
	unit     float64 // metres, of depth
	counts   *histogram
	step     int          // between the pixels that are counted
	codec    *videoCodec  // nil: an image in each row
	video    *videoWriter // if there is a codec
	quantize *depth12     // nil: values are kept
	off      depthError
}

type pendingRow struct {
	cells  cells
	files  [][]byte // or frames of videos
	off    []depthError
	errs   []error
	size   int
	encode sync.WaitGroup
}

// add describes a stream by its first image, and begins its video.
func (m *images) add(name string, img process.Image, e *dataset.StreamEntry) (f feature, err error) {
	n, bits := export.FrameImage(img.Frame).Channels()
	s := &imageStream{name: name, form: m.Images, depth: e.Depth > 0, unit: e.Depth,
		counts: newHistogram(n, bits), step: 1}
	if s.depth {
		s.form = m.Depth
	}
	if side := max(e.Width, e.Height); side >= 300 { // as LeRobot counts
		s.step = side / 150
	}
	f = feature{Type: "image", Shape: []int{e.Height, e.Width, n}, Names: []string{"height", "width", "channels"}}
	f.Info = map[string]any{"is_depth_map": s.depth, "stream": e.Stream, "clock": e.Clock}
	if e.Lens != nil {
		f.Info["intrinsics"] = e.Lens
	}
	if e.Turn != nil {
		f.Info["extrinsics"], f.Info["reference"] = e.Turn, e.Reference
	}
	if s.depth {
		f.Info["depth_m"] = e.Depth
		if e.Depth == 0.001 {
			f.Info["depth_unit"] = "mm"
		}
	}
	if s.codec = codecs[s.form]; s.codec != nil {
		if bits > 8 && !s.depth {
			return f, fmt.Errorf("%s has %d bits, and %s has 8: --images png", e.Stream, bits, s.form)
		}
		err = m.begin(s, e, &f)
	}
	m.streams = append(m.streams, s)
	return f, err
}

// begin begins a stream's video, and describes it as LeRobot does.
func (m *images) begin(s *imageStream, e *dataset.StreamEntry, f *feature) error {
	f.Type = "video"
	if !s.depth {
		f.Shape[2] = 3
	}
	for name, v := range map[string]any{"height": e.Height, "width": e.Width, "codec": s.codec.Name,
		"pix_fmt": s.codec.Stored, "fps": m.fps, "channels": f.Shape[2]} {
		f.Info["video."+name] = v
	}
	f.Info["has_audio"] = false
	if s.form == depthHEVC {
		s.quantize = newDepth12(e.Depth)
		for name, v := range map[string]any{"depth_min": depthMin, "depth_max": depthMax,
			"shift": depthShift, "use_log": true} {
			f.Info["video."+name] = v
		}
		f.Info["depth_unit"] = "mm" // of the statistics
	}
	path, err := m.s.Out.Path("videos/" + s.name + "/" + m.file + ".mp4")
	if err != nil {
		return err
	}
	s.video, err = createVideo(m.s.Context(),
		videoOptions{Path: path, Codec: *s.codec, Width: e.Width, Height: e.Height, FPS: m.fps})
	if err == nil {
		m.s.Out.OnError(func() error {
			s.video.Abort()
			return nil
		})
	}
	return err
}

// set encodes the images of a row. It retains their frames while it needs them.
func (m *images) set(row cells, list []process.Image) error {
	p := &pendingRow{cells: row, files: make([][]byte, len(list)), off: make([]depthError, len(list)),
		errs: make([]error, len(list))}
	m.pending = append(m.pending, p)
	for i, img := range list {
		s := m.streams[i]
		s.count(export.FrameImage(img.Frame))
		frame := img.Frame.Retain()
		p.size += 2 * len(frame.Data) // the image and what is made of it
		p.encode.Add(1)
		err := m.s.Out.Work.Do(func() error {
			defer p.encode.Done()
			defer frame.Release()
			img := export.FrameImage(frame)
			img.Stored = m.s.Options.Uncompressed
			p.files[i], p.off[i], p.errs[i] = s.encode(img)
			return p.errs[i]
		})
		if err != nil {
			return err
		}
	}
	m.held += p.size
	for len(m.pending) > 2*runtime.GOMAXPROCS(0) || m.held > maxPending && len(m.pending) > 1 {
		if err := m.next(); err != nil {
			return err
		}
	}
	return nil
}

// next hands the first row on.
func (m *images) next() error {
	p := m.pending[0]
	m.pending = m.pending[1:]
	m.held -= p.size
	p.encode.Wait()
	if err := errors.Join(p.errs...); err != nil {
		return err
	}
	for i, s := range m.streams {
		if s.video != nil {
			s.off.add(p.off[i])
			if err := s.video.Write(p.files[i]); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			continue
		}
		ext := ".png"
		if s.form == imagesJPEG && len(s.counts.counts[0]) == 256 {
			ext = ".jpg"
		}
		p.cells[s.name] = imageCell{"path": fmt.Sprintf("frame-%06d%s", p.cells["frame_index"], ext), "bytes": p.files[i]}
	}
	return m.row(p.cells)
}

var encoders = sync.Pool{New: func() any { return new(imagetransport.Encoder) }}

// encode returns an image file, or the frame of a video.
func (s *imageStream) encode(p export.Image) (file []byte, off depthError, err error) {
	n, bits := p.Channels()
	switch {
	case s.codec != nil && s.depth:
		file = make([]byte, 0, 2*p.Width*p.Height)
		for y := range p.Height {
			file = append(file, p.Data[y*p.Step:][:2*p.Width]...)
		}
		if s.quantize != nil {
			off = s.quantize.quantize(file)
		}
	case s.codec != nil:
		file = p.RGB()
	case s.form == imagesJPEG && bits == 8:
		e := encoders.Get().(*imagetransport.Encoder)
		defer encoders.Put(e)
		pic := imagetransport.Image{Encoding: "mono8", Width: p.Width, Height: p.Height, Step: p.Step, Data: p.Data}
		if n > 1 {
			pic.Encoding, pic.Step, pic.Data = "rgb8", 3*p.Width, p.RGB()
		}
		_, file, err = e.Compress(nil, pic,
			imagetransport.Options{Format: imagetransport.JPEG, JPEGQuality: jpegQuality, PNGLevel: 1})
	default:
		var b bytes.Buffer
		err = p.Encode(&b)
		file = b.Bytes()
	}
	return file, off, err
}

// count adds pixels of an image to the statistics.
func (s *imageStream) count(p export.Image) {
	img, _ := p.PNG()
	row := make([]byte, img.Colour.Channels()*img.Depth/8*p.Width)
	for y := 0; y < p.Height; y += s.step {
		img.Row(y, row)
		s.counts.row(row, s.step)
	}
	s.counts.images++
}

// finish hands all rows on, completes videos, and returns the statistics.
func (m *images) finish(stats map[string]*summary) error {
	for len(m.pending) > 0 {
		if err := m.next(); err != nil {
			return err
		}
	}
	for _, s := range m.streams {
		scale := float64(len(s.counts.counts[0]) - 1)
		switch {
		case s.quantize != nil:
			scale = 0.001 / s.unit // millimetres
		case s.depth:
			scale = 1
		}
		if s.codec != nil && !s.depth && len(s.counts.counts) == 1 { // grey as a video of colours
			s.counts.counts = append(s.counts.counts, s.counts.counts[0], s.counts.counts[0])
		}
		stats[s.name] = s.counts.finish(scale)
		if s.video == nil {
			continue
		}
		if err := s.video.Close(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.quantize != nil {
			m.s.Note("%s is quantized to 12 bits: decoded again, it is up to %.4g m off, %.4g m in the mean of %d pixels; %d of them are beyond %v m; pixels without depth are %v m",
				s.name, s.off.max, s.off.sum/float64(max(1, s.off.pixels)), s.off.pixels, s.off.far, depthMax, depthMin)
		}
	}
	return nil
}
