package convert

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/recording"
	"rsros/bagstore/rosbag"
	"rsros/tools/rewrite"
)

// extensions are those of the formats that convert writes to files.
var extensions = map[recording.Format]string{recording.Bag: extBag, recording.SQLite: extDB3, recording.MCAP: extMCAP}

// Misnamed returns an error if out, to which a command would write a recording of format f, has the extension of
// another format. The error has the command that writes it.
func Misnamed(f recording.Format, out string) error {
	own, ext := extensions[f], strings.ToLower(filepath.Ext(out))
	if own == "" || ext == own || !slices.Contains([]string{extBag, extDB3, extMCAP}, ext) {
		return nil
	}
	name := out[:len(out)-len(ext)]
	return fmt.Errorf("%s would be a %s file: name it %s, then run: rs-ros-node convert %s -o %s",
		out, own, name+own, name+own, name+ext)
}

// Again rewrites a .db3 or an MCAP file with the messages that can be read, in time order, byte by
// byte except for their compression. It lists messages that are neither CDR nor ROS 1 as lost. It
// copies whole attachments and metadata records. Of the Options, it takes In, Out, Bag and Progress.
func Again(ctx context.Context, o Options) (Result, error) {
	format, err := recording.FormatOf(ctx, o.In)
	if err != nil {
		return Result{}, err
	}
	ext := extensions[format]
	switch {
	case format == recording.Folder:
		return Result{}, fmt.Errorf("%s: this is a folder: name one of its files, or convert it to another one", o.In)
	case format == recording.Compressed:
		return Result{}, fmt.Errorf("%s: the file is compressed as a whole; convert reads it", o.In)
	case ext != extDB3 && ext != extMCAP:
		return Result{}, fmt.Errorf("%s: neither a .db3 nor an MCAP file", o.In)
	case ext == extDB3 && o.Bag.Compression != "" && o.Bag.Compression != bagstore.None:
		return Result{}, fmt.Errorf("%s: a .db3 file is written without compression, which not all of its readers support; "+
			"convert it to .mcap or .bag", o.In)
	case ext == extMCAP && o.Bag.Compression == bagstore.BZ2:
		return Result{}, fmt.Errorf("%s: MCAP has no bz2; use --lz4 or --zstd", o.In)
	}
	o.Format, o.checkSums, o.scan = ext, true, o.scan && ext == extMCAP
	return Messages(ctx, o)
}

// Recover is [rosbag.Recover] for a .db3 or an MCAP file.
func Recover(ctx context.Context, in, out string, o bagstore.RecoverOptions) (*bagstore.RecoverReport, error) {
	r, err := Again(ctx, Options{In: in, Out: out, Bag: o.Options, Progress: o.Progress, scan: true})
	if err != nil {
		return &bagstore.RecoverReport{Outcome: bagstore.Unreadable}, err
	}
	rep := &bagstore.RecoverReport{Kept: r.Messages, Size: r.Size, Topics: r.PerTopic, Notes: r.Notes,
		Outcome: bagstore.Sound}
	if r.Attachments+r.Records > 0 {
		rep.Notes.Addf(bagstore.Harmless, -1, "file", "kept %d attachments and %d metadata records", r.Attachments, r.Records)
	}
	for _, t := range rep.Topics {
		rep.Lost += t.Lost
	}
	for _, l := range r.Lost {
		rep.Outcome = bagstore.Damaged
		rep.Notes.Addf(bagstore.Loss, -1, "messages", "%d %s", l.Count, l.What)
	}
	if r.Damaged > 0 {
		rep.Outcome = bagstore.Damaged
		rep.Notes.Addf(bagstore.Loss, -1, "messages", "%d damaged; the last: %v", r.Damaged, r.Why)
	}
	if rep.Kept == 0 && rep.Outcome != bagstore.Sound {
		rep.Outcome = bagstore.Unreadable
	}
	return rep, nil
}

// RecoverTarget says where RecoverFile writes, and how.
type RecoverTarget struct {
	rewrite.Placement // without an Output: next to the original, under a name of its own
	InPlace           bool
	Options           bagstore.RecoverOptions
}

// RecoverFile writes the intact messages of a recording of any format. The report isn't nil; after an error, nothing
// was written.
func RecoverFile(ctx context.Context, path string,
	to RecoverTarget) (output string, report *bagstore.RecoverReport, err error) {
	report = new(bagstore.RecoverReport)
	format, err := recording.FormatOf(ctx, path)
	if err == nil && format == recording.SQLite && to.InPlace {
		err = recording.CheckLeftover(path)
	}
	if err != nil {
		return "", report, err
	}
	write := func(out string) error {
		o := to.Options
		o.Overwrite = to.Force || !place.IsAddress(out) // Placement found that out is free
		recoverAs := Recover
		if format == recording.Bag {
			recoverAs = rosbag.Recover
		}
		r, err := recoverAs(ctx, path, out, o)
		if r != nil {
			report = r
		}
		if err == nil && r.Outcome == bagstore.Unreadable {
			err = errors.New("it contains no intact message")
		}
		return err
	}
	switch output = to.Output; {
	case to.InPlace || to.Folder:
		_, err = to.Rewrite(ctx, path, write)
		return to.Name(path), report, err
	case output == "" && path == place.Stream:
		return "", report, errors.New("standard input has no name to derive one from: name the output (-o)")
	case output == "":
		output = recoveredName(path)
	}
	if rewrite.SameFile(path, output) {
		return "", report, rewrite.ErrSameFile
	}
	if err = Misnamed(format, to.Output); err == nil {
		err = to.Create(ctx, output, write)
	}
	return output, report, err
}

// recoveredName returns walk.recovered.bag for walk.bag and walk.bag.active.
func recoveredName(path string) string {
	path = strings.TrimSuffix(path, ".active")
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".recovered" + ext
}

// usualCompression returns that of the first compressed chunk.
func usualCompression(b *bagstore.Recording) bagstore.Compression {
	for _, c := range b.Blocks() {
		if c.Compression != bagstore.None {
			return c.Compression
		}
	}
	return bagstore.None
}
