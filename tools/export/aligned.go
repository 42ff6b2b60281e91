package export

import (
	"fmt"
	"runtime"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/camdriver/process"
)

// aligned writes depth as the colour camera sees it, an image for each set with both.
type aligned struct {
	r     *recordingExport
	res   *process.Resources
	rig   *process.Rig
	sync  *process.Syncer
	block *process.Align
	place string
	total uint64 // files, at most
	err   error  // the first
}

// alignedMemory bounds the images that are being written.
const alignedMemory = 1 << 30

// newAligned returns nil if a stream or its calibration is missing.
func newAligned(r *recordingExport, chosen map[camdriver.StreamID]bool) *aligned {
	depth, colour := r.lens(camdriver.Depth), r.lens(camdriver.Color)
	if depth == nil || colour == nil || depth.Extrinsic == nil || colour.Extrinsic == nil {
		r.o.Log.Warn().Msg("no aligned depth: the recording has no depth and colour with calibration")
		return nil
	}
	if !chosen[depth.Profile.Stream] || !chosen[colour.Profile.Stream] {
		r.o.Log.Warn().Msg("no aligned depth: the topics of depth and colour aren't both exported")
		return nil
	}
	a := &aligned{r: r, res: process.NewResources(alignedMemory, runtime.GOMAXPROCS(0)), rig: process.NewRig(r.snap),
		sync: process.NewSyncer(), total: r.file.Frames(depth.Profile.Stream)}
	a.block = process.NewAlign(a.res, camdriver.Color)
	for _, s := range []*camdriver.StreamSnapshot{depth, colour} {
		a.sync.Expect(s.Profile.Stream)
	}
	name := fmt.Sprintf("%s%s_aligned_to_%s", r.prefix, depth.Profile.Stream, colour.Profile.Stream)
	a.place = r.place(name)
	m := &manifestStream{Name: name, Place: a.place}
	describeCalibration(m, *colour)
	r.manifest.streams = append(r.manifest.streams, m)
	return a
}

// frame borrows an image of any stream.
func (a *aligned) frame(f *camdriver.Frame) error {
	if a == nil {
		return nil
	}
	if kind := f.Stream().Kind; kind == camdriver.Depth || kind == camdriver.Color {
		a.sync.Push(a.rig.Image(f.Retain()), a.set)
	}
	return a.err
}

func (a *aligned) set(s *process.Set) {
	colour, ok := s.First(camdriver.Color, camdriver.AnyFormat)
	if _, depth := s.First(camdriver.Depth, camdriver.Z16); !ok || !depth || a.err != nil {
		return
	}
	number := colour.Frame.Number
	var own process.Set
	defer own.Release()
	own.Copy(s)
	if err := a.block.Process(&own); err != nil {
		at := bagstore.Time(s.Images[0].Frame.Arrival.Sub(time.Time{}))
		a.r.oddMessage(a.place, at, err)
		return
	}
	depth, _ := own.First(camdriver.Depth, camdriver.Z16)
	f, p := depth.Frame.Retain(), FrameImage(depth.Frame)
	entry := manifestFile{File: a.r.nextFile(a.place, a.total, p.Ext()), Units: float64(f.DepthUnits), Colour: &number,
		facts: frameFacts(a.place, f, int64(f.Arrival.Sub(time.Time{})))}
	entry.describe(p, rslayout.Encoding(f.Profile.Format))
	a.err = a.r.write(entry, f.Release, p.Encode)
}

func (a *aligned) finish() error {
	if a == nil {
		return nil
	}
	a.sync.Flush(a.set)
	a.sync.Reset()
	return a.err
}

func (a *aligned) close() {
	if a != nil {
		a.sync.Reset()
		a.res.Close()
	}
}
