package dataset

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/tools/bagset"
	"rsros/tools/export"
)

// Input is a recording that becomes a part of a data set.
type Input struct {
	*Sequence
	Options Options
	Out     *Folder
	File    *rsbag.File
	Filter  bagstore.Filter
	snap    camdriver.DeviceSnapshot
	truth   truth
	Cameras []camdriver.StreamID
	own     int           // of Cameras: those of File's camera
	files   []*rsbag.File // the camera of each of Cameras
	several bool          // cameras
	others  []*follower   // further cameras
	without []string      // further cameras that lack what the form needs
	res     *process.Resources
	chain   process.Chain
	leftOut *export.Table
	Damaged uint64 // messages
	pace    bagstore.Pace
}

// memory bounds the frames that are being processed.
const memory = 128 << 20

// exportOne exports a recording: as one sequence or, of several cameras in a form that has no place for them, as one
// for each.
func exportOne(ctx context.Context, f Form, in, name string, out *Folder, o Options) (lost []string, err error) {
	bags, filter, _, err := o.Selection.Open([]string{in},
		bagstore.OpenOptions{Context: ctx, Sequential: true, Verify: true, Progress: o.Progress}, o.Log)
	defer bagset.Close(bags)
	if err != nil {
		return nil, err
	}
	files, err := rsbag.OpenAll(in, rsbag.Options{Bag: bags[0], CameraNodes: true, Camera: o.Camera})
	if err != nil {
		return nil, err
	}
	if f.Together || len(files) == 1 {
		has := func(file *rsbag.File) int { return min(1, len(f.Cameras(selected(filter, file)))) }
		slices.SortStableFunc(files, func(a, b *rsbag.File) int { return has(b) - has(a) }) // the first one leads
		return newInput(ctx, files[0], in, name, out, filter, o).export(f, files[1:])
	}
	var names []string
	for _, file := range files {
		folder := path.Join(name, unique(names, file.Camera().PathName()))
		names = append(names, path.Base(folder))
		s := newInput(ctx, file, in, folder, out, filter, o)
		more, err := s.export(f, nil)
		if errors.Is(err, ErrStreams) {
			o.Log.Warn().Err(err).Msg("a camera is left out")
			more, err = []string{err.Error()}, nil
		}
		if err != nil {
			return nil, err
		}
		lost = append(lost, more...)
	}
	if len(out.manifest.Sequences) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrStreams, strings.Join(lost, "; "))
	}
	return lost, nil
}

func newInput(ctx context.Context, file *rsbag.File, in, folder string, out *Folder,
	filter bagstore.Filter, o Options) *Input {
	s := &Input{
		Sequence: &Sequence{Recording: in, Folder: folder}, Options: o, Out: out, File: file,
		Filter: filter, snap: file.Snapshot(),
		pace: bagstore.Pace{Ctx: ctx, Progress: o.Progress},
	}
	for _, i := range s.snap.Info {
		if i.Key == camdriver.InfoName {
			s.Device = i.Value
		}
	}
	for _, n := range append(slices.Clone(file.Notes()), file.Omissions()...) {
		o.Log.Debug().Str("recording", in).Msg(n)
	}
	return s
}

// export writes the sequence of a camera, with the images of further ones.
func (s *Input) export(f Form, further []*rsbag.File) (lost []string, err error) {
	o := s.Options
	if s.Cameras = f.Cameras(selected(s.Filter, s.File)); len(s.Cameras) == 0 {
		why := ""
		if list := s.File.Omissions(); len(list) > 0 { // images that can't be read
			why = "; " + strings.Join(list[:min(len(list), 3)], "; ")
		}
		return nil, fmt.Errorf("%s: %w: %s needs %s%s", s.Recording, ErrStreams, f.Name, f.Need, why)
	}
	s.own = len(s.Cameras)
	if s.truth, err = s.findTruth(f); err != nil {
		return nil, err
	}
	if o.Chain != nil {
		s.res = process.NewResources(memory, 1)
		defer s.res.Close()
		if s.chain, err = o.Chain(s.res); err != nil {
			return nil, err
		}
		defer s.chain.Reset()
	}
	s.files, s.several = slices.Repeat([]*rsbag.File{s.File}, s.own), len(further) > 0
	defer func() {
		for _, w := range s.others {
			w.close()
		}
	}()
	if err := s.follow(further, f); err != nil {
		return nil, err
	}
	s.leftOut = s.table("left_out.csv", "time_ns,stamp_ns,why\n")
	s.Out.manifest.Sequences = append(s.Out.manifest.Sequences, s.Sequence)
	if err := s.run(f); err != nil {
		return nil, err
	}
	return s.lost(), nil
}

// selected returns which streams of a camera have frames and are selected.
func selected(filter bagstore.Filter, file *rsbag.File) func(camdriver.StreamID) bool {
	keeps := filter.Query().Connections
	return func(id camdriver.StreamID) bool {
		return file.Frames(id) > 0 && slices.ContainsFunc(file.Connections(id), keeps)
	}
}

// CameraOf returns the name of the camera of one of Cameras, made safe for files; "" if there is one camera.
func (s *Input) CameraOf(i int) string {
	if !s.several {
		return ""
	}
	return s.files[i].Camera().PathName()
}

// Context is that of the run.
func (s *Input) Context() context.Context { return s.pace.Ctx }

// lost returns what the sequence doesn't have of the recording.
func (s *Input) lost() (lost []string) {
	if s.Damaged > 0 {
		lost = append(lost, fmt.Sprintf("%s: %d messages are damaged", s.Recording, s.Damaged))
	}
	for _, n := range append(slices.Clone(s.File.Bag().Notes()), s.File.Bag().Found()...) {
		if n.Severity == bagstore.Loss {
			lost = append(lost, fmt.Sprintf("%s: %s", s.Recording, n.Text))
		}
	}
	for _, name := range s.without {
		lost = append(lost, fmt.Sprintf("%s: camera %s lacks what the data set needs", s.Recording, name))
	}
	if n := s.LeftOut - s.AtEnds; n > 0 {
		lost = append(lost, fmt.Sprintf("%s: %d of %d sets were left out, see %s", s.Recording, n,
			s.LeftOut+s.Sets+s.ByRate, s.name("left_out.csv")))
	}
	return lost
}

// name returns a file's name below the data set's folder.
func (s *Input) name(file string) string { return path.Join(s.Folder, file) }

func (s *Input) table(file, head string) *export.Table { return s.Out.Table(s.name(file), head) }

func (s *Input) text(file, text string) error { return s.Out.Text(s.name(file), []byte(text)) }

func (s *Input) image(file string, img process.Image) error {
	return s.Out.image(s.name(file), img.Frame)
}
