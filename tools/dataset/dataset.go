// Package dataset makes data sets from recordings: folders of images, tables and calibration in the
// layouts that programs for SLAM and calibration read (docs/datasets.md).
//
// A recording is read as sets of frames with their calibration, whatever its container, and each form
// writes these sets. Stamps are the sensor's. A set that lacks a stream is left out and counted.
package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/tools/bagset"
)

// Options are the settings of Run. Those with a name in JSON are what a data set was asked to be: the manifest has
// them, and a request of other ones doesn't complete it.
type Options struct {
	In        []string         `json:"recordings"`
	Versions  []string         `json:"versions"` // of the recordings; Run sets them
	Form      string           `json:"-"`        // one of Forms
	Dir       string           `json:"-"`        // folder or address
	Selection bagset.Selection `json:"selection"`
	Camera    string           `json:"camera,omitempty"` // of a recording of several; "": all
	Rate      float64          `json:"rate,omitempty"`   // sets a second, chosen from those that were recorded; 0: all
	Noise     *Noise           `json:"noise,omitempty"`  // of the IMU; nil if unknown
	// Chain, if not nil, creates blocks that process each set.
	Chain   func(*process.Resources) (process.Chain, error) `json:"-"`
	Filters string                                          `json:"filters,omitempty"` // what Chain does
	// Truth is the ground truth: a topic, or two of tf's frames, FROM:TO. "": what there is.
	Truth string `json:"ground_truth,omitempty"`
	// Uncompressed makes PNG files that aren't compressed.
	Uncompressed bool              `json:"uncompressed,omitempty"`
	Settings     any               `json:"settings,omitempty"` // the form's own; nil: it has none
	Overwrite    bool              `json:"-"`
	Progress     bagstore.Progress `json:"-"`
	Log          zerolog.Logger    `json:"-"`
}

// Form is a layout of data sets.
type Form struct {
	Name string
	// cameras returns the streams of a set, in the layout's order.
	Cameras func(has func(camdriver.StreamID) bool) []camdriver.StreamID
	Need    string // what cameras needs, for errors
	// Together makes one sequence of a recording of several cameras, otherwise there is one for each.
	Together bool
	// open begins a sequence.
	Open func(*Input) (Writer, error)
	// folder names a sequence's folder if there are several; nil: its recording's name.
	Folder func(i int) string
	Truth  bool // it has poses of the ground truth
	// stamped says that stamps are the names of images.
	Stamped bool
	// join, if not nil, returns what opens sequences instead, which share files.
	Join func(*Folder, Options) Joint
}

// Joint is a data set whose sequences share files.
type Joint interface {
	// kept reports that an interrupted run has completed the next sequence.
	Kept(context.Context) bool
	Open(*Input) (Writer, error)
	// completed keeps the sequence that was opened last.
	Completed(lost []string) error
	// finish writes the files that sequences share.
	Finish() error
}

// Writer writes the sequence of one recording. Frames are borrowed.
type Writer interface {
	// set writes a set. The error may be a leaveOut.
	Set(*Set) error
	Motion(stamp int64, f *camdriver.Frame) error
	// place writes a pose of the ground truth: metres, and the rotation as x, y, z, w.
	Place(stamp int64, t [3]float64, r [4]float64) error
	// finish writes what is known at the end. The sequence has at least one set.
	Finish() error
}

// LeaveOut says why a set is left out.
type LeaveOut string

func (e LeaveOut) Error() string { return string(e) }

var forms = []Form{tum, euroc, kalibr}

// Forms returns the names for Options.Form.
func Forms() (names []string) {
	for _, f := range forms {
		names = append(names, f.Name)
	}
	return names
}

// Run makes a data set. A folder that a killed Run left is completed; one that is complete is left as
// it is. The error is a program.ErrIncomplete if something was left out.
func Run(ctx context.Context, o Options) error {
	i := slices.IndexFunc(forms, func(f Form) bool { return f.Name == o.Form })
	if i < 0 {
		return fmt.Errorf("%w: %q; known forms: %s", ErrForm, o.Form, strings.Join(Forms(), ", "))
	}
	return Make(ctx, forms[i], o)
}

// Make is Run for a form of another package.
func Make(ctx context.Context, f Form, o Options) error {
	o.Form = f.Name
	lost, err := produce(ctx, f, o)
	if err != nil {
		return err
	}
	return bagset.Loss(0, 0, lost)
}

// produce makes a data set at a place unless it is there.
func produce(ctx context.Context, f Form, o Options) (lost []string, err error) {
	m, err := newManifest(ctx, o)
	if err != nil {
		return nil, err
	}
	write := func(dir string) (err error) {
		lost, err = exportAs(ctx, f, dir, m, o)
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

func exportAs(ctx context.Context, f Form, dir string, m manifest, o Options) (lost []string, err error) {
	out, err := openFolder(ctx, dir, m, o.Overwrite)
	if err != nil {
		return nil, err
	}
	defer func() { err = out.close(err) }()
	var whole Joint = apart{}
	if f.Join != nil {
		whole = f.Join(out, o)
		f.Open = whole.Open
	}
	names := sequenceNames(f, o.In)
	for i, in := range o.In {
		if whole.Kept(ctx) {
			continue
		}
		more, err := exportOne(ctx, f, in, names[i], out, o)
		if err == nil {
			err = whole.Completed(more)
		}
		if err != nil {
			return nil, err
		}
		out.manifest.Lost = append(out.manifest.Lost, more...)
	}
	if err := whole.Finish(); err != nil {
		return nil, err
	}
	return out.manifest.Lost, out.finish()
}

// apart is a data set whose sequences share nothing.
type apart struct{ Joint }

func (apart) Kept(context.Context) bool { return false }
func (apart) Completed([]string) error  { return nil }
func (apart) Finish() error             { return nil }

// sequenceNames names the folders of recordings below the data set's; one alone has none.
func sequenceNames(f Form, in []string) []string {
	names := make([]string, len(in))
	if len(in) == 1 && f.Folder == nil {
		return names
	}
	for i, name := range in {
		if f.Folder != nil {
			names[i] = f.Folder(i)
			continue
		}
		base := strings.TrimSuffix(place.Base(name), ".zstd")
		base = strings.TrimSuffix(base, filepath.Ext(base))
		names[i] = unique(names[:i], base)
	}
	return names
}

// unique returns a name that isn't among others.
func unique(others []string, name string) string {
	one := name
	for n := 2; slices.Contains(others, one); n++ {
		one = fmt.Sprintf("%s~%d", name, n)
	}
	return one
}
