package upload

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"sync"
	"testing"

	"rsros/bagstore/place"
)

// store holds objects. hook, if not nil, is called before each Put.
type store struct {
	mu      sync.Mutex
	objects map[string]string
	puts    map[string]int
	hook    func(name string, o place.PutOptions) error
}

type object struct {
	info place.Info
	text string
}

func (o object) Info() place.Info { return o.info }

func (o object) Range(_ context.Context, off, n int64) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(o.text[off : off+n])), nil
}

func (s *store) Open(_ context.Context, name string) (place.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.objects[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return object{place.Info{Name: name, Size: int64(len(text)), Version: text}, text}, nil
}

func (s *store) List(context.Context, string) iter.Seq2[place.Info, error] {
	return func(func(place.Info, error) bool) {}
}

func (s *store) Put(_ context.Context, name string, body io.ReaderAt, size int64, o place.PutOptions) (place.Info, error) {
	s.mu.Lock()
	old, there := s.objects[name]
	hook := s.hook
	s.mu.Unlock()
	switch {
	case o.New && there:
		return place.Info{}, &fs.PathError{Op: "put", Path: name, Err: fs.ErrExist}
	case o.Replaces != "" && o.Replaces != old:
		return place.Info{}, place.ErrChanged
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.NewSectionReader(body, 0, size)); err != nil {
		return place.Info{}, err
	}
	if o.SHA256 != fmt.Sprintf("%x", sha256.Sum256(b.Bytes())) {
		return place.Info{}, fmt.Errorf("put %s: its SHA-256 isn't %s", name, o.SHA256)
	}
	if hook != nil {
		if err := hook(name, o); err != nil {
			return place.Info{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[name] = b.String()
	s.puts[name]++
	return place.Info{Name: name, Size: size, Version: b.String()}, nil
}

func (s *store) Remove(context.Context, string) error { return nil }

func (s *store) onPut(hook func(string, place.PutOptions) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = hook
}

func (s *store) want(t *testing.T, objects map[string]string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, text := range objects {
		if s.objects[name] != text {
			t.Errorf("%s holds %q, want %q", name, s.objects[name], text)
		}
	}
	if len(s.objects) != len(objects) {
		t.Errorf("%d objects, want %d: %v", len(s.objects), len(objects), s.objects)
	}
}

func newStore() *store {
	s := &store{objects: map[string]string{}, puts: map[string]int{}}
	place.Register("queue", s)
	return s
}
