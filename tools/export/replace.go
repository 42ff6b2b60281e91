package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"rsros/bagstore/place"
	"rsros/program/localfile"
)

// clearFolder creates a folder, or removes the export that it has. Files that the manifest doesn't list stay.
func clearFolder(dir string) error {
	err := place.FillFolder(dir, func() error { return nil }) // empties that of an interrupted export
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if place.InUse(filepath.Join(dir, manifestName+place.Suffix)) {
		return fmt.Errorf("replace the export in %s: %w", dir, place.ErrLocked)
	}
	root, err := os.OpenRoot(dir) // no name in a manifest leads out of it
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing is written
	found := false
	for _, manifest := range []string{manifestName + place.Suffix, manifestName} {
		switch err := removeExport(root, manifest); {
		case err == nil:
			found = true
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("replace the export in %s: %s: %w", dir, manifest, err)
		}
	}
	if !found {
		return fmt.Errorf("%s: the folder is neither empty nor an export's: %w", dir, fs.ErrExist)
	}
	return nil
}

// removeExport removes what a manifest lists, then the manifest.
func removeExport(root *os.Root, manifest string) error {
	f, err := localfile.OpenIn(root, manifest)
	if err == nil {
		err = errors.Join(eachListed(f, func(name string) error { return removeFile(root, name) }), f.Close())
	}
	if err == nil {
		err = root.Remove(manifest)
	}
	return err
}

// removeFile removes a file, its unfinished one, and the folders that are empty without it.
func removeFile(root *os.Root, name string) error {
	for _, file := range []string{name, name + place.Suffix} {
		if err := root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for dir := path.Dir(name); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
	return nil
}

// eachListed calls do with the names of the files and tables that a manifest lists. It knows them by their lines, as
// newManifest writes them; one that a kill has cut lists nothing.
func eachListed(r io.Reader, do func(name string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	if !lines.Scan() || !bytes.HasPrefix(lines.Bytes(), []byte(`{"bag":`)) ||
		!lines.Scan() || lines.Text() != `"files":[` {
		return errors.Join(fmt.Errorf("it is not the manifest of an export: %w", fs.ErrExist), lines.Err())
	}
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte(","))
		names := make([]string, 1)
		if tables, ok := bytes.CutPrefix(line, []byte(`"tables":`)); ok {
			_ = json.Unmarshal(bytes.TrimSuffix(tables, []byte("}")), &names)
		} else {
			var file manifestFile
			_ = json.Unmarshal(line, &file)
			names[0] = file.File
		}
		for _, name := range names {
			if name == "" {
				continue
			}
			if err := do(name); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}
