package live

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/node/graph"
	"rsros/node/record"
	"rsros/node/settings"
	"rsros/program"
)

// checkRemotePaths rejects files that the parameter server names outside the command line's
// folder, because anybody in the graph can set parameters. It must be called before private
// fills fields.
func (o *Options) checkRemotePaths(private graph.Params) error {
	if o.AllowRemotePaths {
		return nil
	}
	allowed := record.Folder(cmp.Or(o.RecordPath, "."))
	p := settings.NewReader(private)
	check := func(name, flag, value, folder string) error {
		text := p.Text(name)
		if _, given := o.Given[flag]; text == "" || given || value != "" {
			return nil
		}
		below, err := isBelow(folder, allowed)
		if below && err == nil && !slices.Contains(strings.Split(filepath.ToSlash(text), "/"), "..") {
			return nil
		}
		return errors.Join(err, fmt.Errorf("%w: parameter ~%s: %q on the parameter server isn't below the record path %q of the command line; use --record-path, or --allow-remote-paths",
			program.ErrUsage, name, text, allowed))
	}
	return errors.Join(
		check("record", "record", o.Record, filepath.Dir(p.Text("record"))),
		check("record_path", "record-path", o.RecordPath, record.Folder(p.Text("record_path"))))
}

// isBelow reports whether folder is top or inside it, after resolving symbolic links.
func isBelow(folder, top string) (bool, error) {
	folder, err := realPath(folder)
	if err != nil {
		return false, err
	}
	top, err = realPath(top)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(top, folder)
	return err == nil && filepath.IsLocal(rel), nil
}

// realPath resolves symbolic links. The last parts of path needn't exist.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	missing := ""
	for {
		existing, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(existing, missing), nil
		}
		if _, dangling := os.Lstat(path); dangling == nil || !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		path, missing = filepath.Dir(path), filepath.Join(filepath.Base(path), missing)
	}
}

// checkFormat rejects names of recordings and options that don't fit a format.
func (o *Options) checkFormat() error {
	switch ext := filepath.Ext(o.Record); {
	case strings.EqualFold(ext, ".mcap"):
		return fmt.Errorf("%w: recording into %s: recordings are .bag or .db3 files; export --mcap makes an MCAP file of one", program.ErrUsage, o.Record)
	case ext != ".db3" && strings.EqualFold(ext, ".db3"):
		return fmt.Errorf("%w: recording into %s: librealsense wants .db3 in lower case", program.ErrUsage, o.Record)
	case ext == ".bag" && o.Recording.DB3:
		return fmt.Errorf("%w: recording into %s: --db3 needs a name that doesn't end in .bag", program.ErrUsage, o.Record)
	}
	if o.Recording.DB3 && o.Record != "" && filepath.Ext(o.Record) != ".db3" {
		o.Record += ".db3"
	}
	o.Recording.DB3 = o.Recording.DB3 || filepath.Ext(o.Record) == ".db3"
	if c := o.Recording.Bag.Compression; o.Recording.DB3 && c != "" && c != bagstore.None {
		return fmt.Errorf("%w: a .db3 is recorded uncompressed, not with %s", program.ErrUsage, c)
	}
	return nil
}

// keepInput rejects a recording into the file that is the device, under any name.
func (o *Options) keepInput() error {
	if o.Record == "" || !o.Source.isBag() {
		return nil
	}
	input, err := os.Stat(o.Source.Device)
	if err != nil {
		return nil // opening it will fail
	}
	for _, path := range record.Files(o.Record) {
		if st, err := os.Stat(path); err == nil && os.SameFile(input, st) {
			return fmt.Errorf("%w: recording into %s would write %s, which is the device %s", program.ErrUsage, o.Record, path, o.Source.Device)
		}
	}
	return nil
}
