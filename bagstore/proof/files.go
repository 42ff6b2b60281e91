package proof

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files next to a recording NAME: its log, and the newest root with its signature when the
// recording has ended.
const (
	LogExt       = ".proof"
	RootExt      = ".root"
	SignatureExt = RootExt + ".minisig"
	activeExt    = ".active" // of a recording that isn't complete; its log has the final name
)

// LogPath returns the path of a recording's log.
func LogPath(recording string) string { return base(recording) + LogExt }

// base returns the path of a recording's log without its extension. A recording that isn't complete has that of its
// final name, or, if it will replace an earlier one, its own.
func base(recording string) string {
	final, active := strings.CutSuffix(recording, activeExt)
	if !active {
		return recording
	}
	if _, err := os.Lstat(recording + LogExt); err == nil {
		return recording
	}
	return final
}

// NameOf returns the name of a recording in its log.
func NameOf(recording string) string { return filepath.Base(strings.TrimSuffix(recording, activeExt)) }

// Files returns the paths of all files that prove a recording.
func Files(recording string) []string { return files(base(recording)) }

func files(base string) []string { return []string{base + LogExt, base + RootExt, base + SignatureExt} }

// Remove removes the files that prove a recording.
func Remove(recording string) error { return removeIfThere(Files(recording)) }

func removeIfThere(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Replace gives what proves a recording that isn't complete the names of the earlier recording's that it is about to
// replace. It does nothing if the log has its final name already. A kill leaves a log with each of the two, but for
// the earlier one's last instant.
func Replace(recording string) error {
	final, active := strings.CutSuffix(recording, activeExt)
	if !active || base(recording) == final {
		return nil
	}
	old := files(final)
	if err := removeIfThere(old[1:]); err != nil { // a root would not fit the new log
		return err
	}
	for i, path := range files(recording) {
		if err := os.Rename(path, old[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Move moves a recording, by move, and what proves it. At every instant the recording has its log next to it, on file
// systems with hard links. It replaces no file: the error is fs.ErrExist.
func Move(from, to string, move func() error) error {
	old, names := Files(from), Files(to)
	var linked []string
	for i := range old {
		err := os.Link(old[i], names[i])
		switch {
		case err == nil:
			linked = append(linked, names[i])
			continue
		case errors.Is(err, fs.ErrNotExist):
			continue
		case !errors.Is(err, fs.ErrExist):
			// No hard links here. It is renamed after the recording.
			if _, e := os.Lstat(names[i]); errors.Is(e, fs.ErrNotExist) {
				continue
			}
			err = &fs.PathError{Op: "rename", Path: names[i], Err: fs.ErrExist}
		}
		return errors.Join(err, removeAll(linked))
	}
	if err := move(); err != nil {
		return errors.Join(err, removeAll(linked))
	}
	for i, path := range old {
		var err error
		if slices.Contains(linked, names[i]) {
			err = os.Remove(path)
		} else {
			err = os.Rename(path, names[i])
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func removeAll(paths []string) (err error) {
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
