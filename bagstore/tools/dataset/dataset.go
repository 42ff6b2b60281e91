// Package dataset makes data sets from recordings: folders of images, tables and calibration in the
// layouts that programs for SLAM, calibration and robot learning read (docs/datasets.md).
//
// A recording is read as sets of frames with their calibration, whatever its container, and each form
// writes these sets. Stamps are the sensor's. A set that lacks a stream is left out and counted.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/tools/bagset"
	"rsros/camdriver"
	"rsros/camdriver/process"
)

// Options are the settings of Run.
type Options struct {
	In        []string // recordings
	Form      string   // one of Forms
	Dir       string   // folder or address
	Selection bagset.Selection
	Rate      float64 // sets a second, chosen from those that were recorded; 0: all
	// Chain, if not nil, creates blocks that process each set.
	Chain   func(*process.Resources) (process.Chain, error)
	Filters string // what Chain does, for the manifest
	Noise   *Noise // of the IMU; nil if unknown
	Robot   *Robot // for lerobot
	Images  string // for lerobot: one of ImageForms; "": PNG
	Depth   string // for lerobot: one of DepthForms; "": PNG
	// Truth is the ground truth: a topic, or two of tf's frames, FROM:TO. "": what there is.
	Truth string
	// Uncompressed makes PNG files that aren't compressed.
	Uncompressed bool
	Overwrite    bool
	Progress     bagstore.Progress
	Log          zerolog.Logger
}

// Errors that Run returns before it writes anything.
var (
	ErrForm    = errors.New("unknown form of data sets")
	ErrStreams = errors.New("the recording lacks streams that the form needs")
)

// form is a layout of data sets.
type form struct {
	name string
	// cameras returns the streams of a set, in the layout's order.
	cameras func(has func(camdriver.StreamID) bool) []camdriver.StreamID
	need    string // what cameras needs, for errors
	// open begins a sequence.
	open func(*sequence) (writer, error)
	// folder names a sequence's folder if there are several; nil: its recording's name.
	folder func(i int) string
	truth  bool // it has poses of the ground truth
	// stamped says that stamps are the names of images.
	stamped bool
	// check, if not nil, refuses options before anything is written.
	check func(Options) error
	// join, if not nil, returns what opens sequences instead, which share files.
	join func(*folder, Options) joint
}

// joint is a data set whose sequences share files.
type joint interface {
	// kept reports that an interrupted run has completed the next sequence.
	kept(context.Context) bool
	open(*sequence) (writer, error)
	// completed keeps the sequence that was opened last.
	completed(lost []string) error
	// finish writes the files that sequences share.
	finish() error
}

// writer writes the sequence of one recording. Frames are borrowed.
type writer interface {
	// set writes a set. The error may be a leaveOut.
	set(*set) error
	motion(stamp int64, f *camdriver.Frame) error
	// place writes a pose of the ground truth: metres, and the rotation as x, y, z, w.
	place(stamp int64, t [3]float64, r [4]float64) error
	// finish writes what is known at the end. The sequence has at least one set.
	finish() error
}

// leaveOut says why a set is left out.
type leaveOut string

func (e leaveOut) Error() string { return string(e) }

var forms = []form{tum, euroc, kalibr, lerobot}

// Forms returns the names for Options.Form.
func Forms() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// Run makes a data set. A folder that a killed Run left is completed; one that is complete is left as
// it is. The error is a bagset.LossError if something was left out.
func Run(ctx context.Context, o Options) error {
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == o.Form })
	if i < 0 {
		return fmt.Errorf("%w: %q; known forms: %s", ErrForm, o.Form, strings.Join(Forms(), ", "))
	}
	if check := forms[i].check; check != nil {
		if err := check(o); err != nil {
			return err
		}
	}
	lost, err := produce(ctx, forms[i], o)
	if err != nil {
		return err
	}
	return bagset.Loss(0, 0, lost)
}

// produce makes a data set at a place unless it is there.
func produce(ctx context.Context, f form, o Options) (lost []string, err error) {
	m, err := newManifest(ctx, o)
	if err != nil {
		return nil, err
	}
	write := func(dir string) (err error) {
		lost, err = export(ctx, f, dir, m, o)
		return err
	}
	onDisk := !place.IsAddress(o.Dir)
	done, ok := completed(ctx, o.Dir, m)
	switch {
	case ok:
		o.Log.Info().Str("folder", o.Dir).Msg("the data set is complete already")
		lost = done.Lost
		if onDisk {
			err = removeIncomplete(o.Dir)
		}
	case onDisk:
		err = write(filepath.Clean(o.Dir))
	default:
		err = place.WriteFolder(ctx, o.Dir, write)
	}
	return lost, err
}

func export(ctx context.Context, f form, dir string, m manifest, o Options) (lost []string, err error) {
	out, err := openFolder(ctx, dir, m, o.Overwrite)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	var whole joint = apart{}
	if f.join != nil {
		whole = f.join(out, o)
		f.open = whole.open
	}
	names := sequenceNames(f, o.In)
	for i, in := range o.In {
		if whole.kept(ctx) {
			continue
		}
		more, err := exportOne(ctx, f, in, names[i], out, o)
		if err == nil {
			err = whole.completed(more)
		}
		if err != nil {
			return nil, err
		}
		out.manifest.Lost = append(out.manifest.Lost, more...)
	}
	if err := whole.finish(); err != nil {
		return nil, err
	}
	return out.manifest.Lost, out.finish()
}

// apart is a data set whose sequences share nothing.
type apart struct{ joint }

func (apart) kept(context.Context) bool { return false }
func (apart) completed([]string) error  { return nil }
func (apart) finish() error             { return nil }

// sequenceNames names the folders of recordings below the data set's; one alone has none.
func sequenceNames(f form, in []string) []string {
	names := make([]string, len(in))
	if len(in) == 1 && f.folder == nil {
		return names
	}
	for i, name := range in {
		if f.folder != nil {
			names[i] = f.folder(i)
			continue
		}
		base := strings.TrimSuffix(place.Base(name), ".zstd")
		base = strings.TrimSuffix(base, filepath.Ext(base))
		names[i] = base
		for n := 2; slices.Contains(names[:i], names[i]); n++ {
			names[i] = fmt.Sprintf("%s~%d", base, n)
		}
	}
	return names
}
