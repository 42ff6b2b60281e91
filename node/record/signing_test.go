package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// unproven is a complete bag whose log couldn't be written.
type unproven struct{ topicWriter }

func (unproven) Close() error { return fmt.Errorf("%w: no space", bagstore.ErrUnproven) }

// TestUnproven records into several files whose logs fail: all of them get their names, and only the result is an error.
func TestUnproven(t *testing.T) {
	dir := t.TempDir()
	s := &series[*topicFile]{log: zerolog.Nop(), base: filepath.Join(dir, "walk"), ext: ".bag", numbered: true}
	s.create = func(path string) (*topicFile, error) {
		return &topicFile{topicWriter: unproven{}, active: path + activeSuffix, final: path}, os.WriteFile(path+activeSuffix, nil, 0o600)
	}
	for range 3 {
		if err := s.next(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.end(); !errors.Is(err, bagstore.ErrUnproven) {
		t.Errorf("the recording ends with %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "walk_?.bag")); len(files) != 3 {
		t.Errorf("complete files: %v", files)
	}
}
