package clients

import (
	"errors"
	"slices"
	"testing"
)

// TestWatchers checks when the source of subscriptions is open, and who gets its messages.
func TestWatchers(t *testing.T) {
	opened, open := 0, 0
	var fails error
	w := Watchers[int]{Open: func() (func(), error) {
		opened++
		open++
		if fails != nil {
			open--
			return nil, fails
		}
		return func() { open-- }, nil
	}}
	expect := func(what string, all []int, wantOpened, wantOpen int) {
		t.Helper()
		if !slices.Equal(w.All(), all) || opened != wantOpened || open != wantOpen {
			t.Errorf("%s: %v, opened %d times and open %d times; expected %v, %d and %d", what, w.All(), opened, open, all, wantOpened, wantOpen)
		}
	}
	expect("nothing", nil, 0, 0)
	for range 2 {
		fails = errors.New("no such topic")
		if err := w.Add(1); !errors.Is(err, fails) {
			t.Errorf("an error of the source: %v", err)
		}
	}
	expect("errors", nil, 2, 0)
	fails, opened = nil, 0
	w.Add(1)
	expect("one", []int{1}, 1, 1)
	w.Add(2)
	expect("two", []int{1, 2}, 1, 1)
	w.Remove(1)
	w.Remove(1)
	expect("one of two", []int{2}, 1, 1)
	w.Remove(2)
	w.Remove(2)
	expect("none", nil, 1, 0)
}
