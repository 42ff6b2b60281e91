package proof

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"rsros/bagstore/place"
)

// The files next to a recording NAME: its log, and the newest root with its signature when the
// recording has ended.
const (
	LogExt       = ".proof"
	RootExt      = ".root"
	SignatureExt = RootExt + ".minisig"
	activeExt    = ".active" // of a recording that isn't complete; its log has the final name
)

// LogPath returns the path of a recording's log, or its address.
func LogPath(recording string) string {
	if place.IsAddress(recording) {
		return place.Sibling(recording, place.Base(recording)+LogExt)
	}
	return base(recording) + LogExt
}

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
func NameOf(recording string) string { return strings.TrimSuffix(place.Base(recording), activeExt) }

// Files returns the paths of all files that prove a recording.
func Files(recording string) []string { return files(base(recording)) }

func files(base string) []string { return []string{base + LogExt, base + RootExt, base + SignatureExt} }

// Remove removes the files that prove a recording.
func Remove(recording string) error { return removeIfExists(Files(recording)) }

func removeIfExists(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Clear removes the files that prove what a recording's file had, before that is written again.
func Clear(recording string) error { return removeIfExists(files(recording)) }

// Replace gives what proves a recording that isn't complete the names of the earlier recording's that it is about to
// replace. What only the earlier one has is removed: it would not fit. A kill leaves a log with each of the two, but
// for the earlier one's last instant.
func Replace(recording string) error {
	final, active := strings.CutSuffix(recording, activeExt)
	if !active {
		return nil
	}
	old := files(final)
	if err := removeIfExists(old[1:]); err != nil {
		return err
	}
	for i, path := range files(recording) {
		err := os.Rename(path, old[i])
		if errors.Is(err, fs.ErrNotExist) {
			err = removeIfExists(old[i : i+1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Move moves a recording, by move, and what proves it. At every instant the recording has its log next to it, on file
// systems with hard links. It replaces no file: the error is fs.ErrExist, also if only a name that isn't needed is taken.
func Move(from, to string, move func() error) error {
	if err := Free(to); err != nil {
		return err
	}
	old, names := Files(from), files(to)
	var linked []string
	for i := range old {
		err := os.Link(old[i], names[i])
		if err == nil {
			linked = append(linked, names[i])
		}
		if errors.Is(err, fs.ErrExist) {
			return errors.Join(err, removeAll(linked))
		}
		// Otherwise there is nothing, or there are no hard links here: it is renamed after the recording.
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

// Free returns fs.ErrExist if there is a file that readers would take for what proves a new recording.
func Free(recording string) error { return free(Files(recording)...) }

func free(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return cmp.Or(err, error(&fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}))
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
