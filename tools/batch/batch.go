// Package batch runs a command over all recordings of a folder or of an address, in independent shards. A marker for
// each recording has the result and the recording's version; it is written only if no other run has written it since
// it was read. A later run processes recordings whose marker is missing, failed or out of date.
package batch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rsros/bagstore/place"
	"rsros/program/localfile"
)

// Outcome is what a command made of one item.
type Outcome struct {
	State  State
	Err    error
	Log    []string
	Result json.RawMessage // JSON, or nil
}

// Options are the settings of Run.
type Options struct {
	Items []Item
	// Out is the folder or address for outputs and markers.
	Out string
	// Command is the command line. Markers of a different command line are ignored.
	Command []string
	// Files are local files that the command reads for every item, such as rules. A marker is ignored if one
	// of them has another content by now.
	Files   []string
	Program string // its version
	Jobs    int    // items at a time; at least 1
	// Overwrite replaces outputs that no marker tells of.
	Overwrite bool
	// Output returns the name of an item's output below Out. If it is nil, the command has none.
	Output func(name string) string
	// Do runs the command on a file or folder. Output has the path to write. It is called concurrently.
	Do func(ctx context.Context, in, output string) Outcome
	// Report is told the result of each item, one at a time.
	Report func(Result) error
}

type runner struct {
	Options
	work  *workFolder       // nil without outputs
	files map[string]string // the SHA-256 of each of Files
}

// Run works on the items. It returns an error if it can't work at all, is interrupted, or Report fails.
func Run(ctx context.Context, o Options) (err error) {
	r := &runner{Options: o}
	if r.files, err = sums(o.Files); err != nil {
		return err
	}
	if o.Output != nil {
		if r.work, err = newWorkFolder(o.Out); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.work.close()) }()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan Item)
	var workers sync.WaitGroup
	var reporting sync.Mutex // one report at a time
	for range max(1, o.Jobs) {
		workers.Go(func() {
			for it := range queue {
				res := r.item(ctx, it)
				res.Owned = ""
				reporting.Lock()
				if err := r.Report(res); err != nil {
					cancel(err)
				}
				reporting.Unlock()
			}
		})
	}
	for _, it := range r.Items {
		if ctx.Err() != nil {
			break
		}
		select {
		case queue <- it:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

// rejectDuplicates refuses items whose outputs would have the same name, or be inside another one.
func rejectDuplicates(items []Item, output func(name string) string) {
	first := make(map[string]string, len(items))
	for i, it := range items {
		if it.Err != nil {
			continue
		}
		out := output(it.Name)
		if twin, ok := first[out]; ok {
			items[i].Err = fmt.Errorf("its output %s would be that of %s", out, twin)
			continue
		}
		first[out] = it.Name
	}
	for i, it := range items {
		if it.Err != nil {
			continue
		}
		for above := path.Dir(output(it.Name)); above != "."; above = path.Dir(above) {
			if other, ok := first[above]; ok {
				items[i].Err = fmt.Errorf("its output would be inside %s, that of %s", above, other)
			}
		}
	}
}

// item works on one item unless a marker settles it.
func (r *runner) item(ctx context.Context, it Item) Result {
	res := Result{Item: it.Name, Input: it.Version, Size: it.Size, Command: r.Command, Files: r.files,
		Program: r.Program, Begun: time.Now().UTC()}
	if it.Err != nil {
		return res.failed(ctx, it.Err)
	}
	m := marker{name: place.Join(r.Out, ownFolder, r.Command[0], it.Name+".json")}
	if err := m.read(ctx); err != nil {
		return res.failed(ctx, err)
	}
	settled, err := r.settled(ctx, it, m)
	switch {
	case err != nil:
		return res.failed(ctx, err)
	case settled:
		m.Before = true
		return m.Result
	}
	output := ""
	if r.work != nil {
		res.Output = r.Output(it.Name)
		dir, err := os.MkdirTemp(r.work.path, "")
		if err != nil {
			return res.failed(ctx, err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // workFolder.close tries again
		output = filepath.Join(dir, path.Base(res.Output))
	}
	return r.settle(ctx, it, r.run(ctx, it, res, output), output, m)
}

// settled reports whether there is nothing to do for an item.
func (r *runner) settled(ctx context.Context, it Item, m marker) (bool, error) {
	if !r.isDone(it, m) || m.Output == "" {
		return r.isDone(it, m), nil
	}
	size, there, err := exists(ctx, place.Join(r.Out, m.Output))
	return there && size == m.OutputSize, err
}

// isDone reports whether a marker is that of the same work, done.
func (r *runner) isDone(it Item, m marker) bool {
	output := ""
	if r.Output != nil {
		output = r.Output(it.Name)
	}
	return m.Item == it.Name && m.Output == output && (m.State == Done || m.State == Incomplete) &&
		m.Input == it.Version && slices.Equal(m.Command, r.Command) && maps.Equal(m.Files, r.files)
}

// run runs the command, and makes sure that the recording is still the same.
func (r *runner) run(ctx context.Context, it Item, res Result, output string) Result {
	o := r.Do(ctx, it.Path, output)
	res.State, res.Log, res.Result, res.Seconds = o.State, o.Log, o.Result, time.Since(res.Begun).Seconds()
	if o.Err != nil {
		res.Error = o.Err.Error()
	}
	if output != "" { // the name that it will have
		to := place.Join(r.Out, res.Output)
		res.Error = strings.ReplaceAll(res.Error, output, to)
		res.Result = bytes.ReplaceAll(res.Result, quoted(output), quoted(to))
		for i := range res.Log {
			res.Log[i] = strings.ReplaceAll(res.Log[i], output, to)
		}
	}
	if ctx.Err() != nil {
		return res.failed(ctx, ctx.Err())
	}
	if o.State == Failed {
		res.Output = ""
		return res
	}
	now, err := it.now(ctx)
	if err == nil && now.Version != it.Version {
		err = place.ErrChanged
	}
	if err == nil {
		err = r.sameFiles()
	}
	if err == nil && output != "" {
		res.OutputSize, _, err = exists(ctx, output)
	}
	if err != nil {
		return res.failed(ctx, err)
	}
	return res
}

// sameFiles returns an error if one of Files isn't the one that the run began with.
func (r *runner) sameFiles() error {
	now, err := sums(r.Files)
	if err != nil {
		return err
	}
	for name, sum := range now {
		if sum != r.files[name] {
			return fmt.Errorf("%s changed since batch began", name)
		}
	}
	return nil
}

// sums returns the SHA-256 of files.
func sums(names []string) (map[string]string, error) {
	all := make(map[string]string, len(names))
	for _, name := range names {
		f, err := localfile.Open(name)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		all[name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return all, nil
}

func quoted(text string) []byte {
	b, _ := json.Marshal(text) // a string has a JSON form
	return b
}

// settle gives the output its place and writes the marker. Every write of the marker is conditional: if two runs meet,
// the first to claim the item places its output, and the other one reports that run's result.
func (r *runner) settle(ctx context.Context, it Item, res Result, output string, m marker) Result {
	if res.Owned = m.Owned; res.Output != "" {
		if err := r.place(ctx, output, res, &m); err != nil {
			res = res.failed(ctx, err)
		}
		res.Owned = m.Owned
	}
	if res.State == Interrupted {
		return res
	}
	err := m.put(ctx, res)
	if err == nil {
		return res
	}
	if errors.Is(err, errTaken) {
		err = cmp.Or(m.await(ctx), errTaken)
	}
	if r.isDone(it, m) {
		m.Before = true
		return m.Result
	}
	return res.failed(ctx, err)
}

// place gives an output its place, after it claimed the item: the marker says that the output is ours.
func (r *runner) place(ctx context.Context, output string, res Result, m *marker) error {
	to := place.Join(r.Out, res.Output)
	replace := r.Overwrite || m.Owned == res.Output
	if !replace {
		_, taken, err := exists(ctx, to)
		if err != nil {
			return err
		}
		if taken {
			return fmt.Errorf("%s exists; --overwrite replaces it", to)
		}
	}
	claim := res
	claim.State, claim.Output, claim.Owned, claim.Result, claim.Log = placing, "", res.Output, nil, nil
	if err := m.put(ctx, claim); err != nil {
		return err
	}
	return putOutput(ctx, output, to, replace)
}

func (res Result) failed(ctx context.Context, err error) Result {
	res.State, res.Error, res.Output = Failed, err.Error(), ""
	if ctx.Err() != nil {
		res.State, res.Error = Interrupted, ""
	}
	return res
}
