package process_test

import (
	"fmt"
	"strings"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/process"
)

// counted is a Releaser that counts unreleased frames.
type counted int

func (c *counted) Release() { *c-- }

// push pushes frames such as "D1@33", "C2@40.5", "I7@0" (kind, number, time in ms) and
// returns the emitted sets.
func push(t *testing.T, s *process.Syncer, held *counted, frames string) string {
	t.Helper()
	kinds := map[byte]camdriver.StreamID{'D': {Kind: camdriver.Depth}, 'C': {Kind: camdriver.Color},
		'L': {Kind: camdriver.Infrared, Index: 1}, 'R': {Kind: camdriver.Infrared, Index: 2}}
	var sets []string
	for _, word := range strings.Fields(frames) {
		*held++
		f := camdriver.NewFrame(held)
		if _, err := fmt.Sscanf(word[1:], "%d@%f", &f.Number, &f.Timestamp); err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		f.Profile = camdriver.Profile{Stream: kinds[word[0]], FPS: 30}
		s.Push(process.Image{Frame: f}, func(set *process.Set) {
			var text strings.Builder
			for _, img := range set.Images {
				letter := img.Frame.Stream().Kind.String()[:1]
				if img.Frame.Stream().Kind == camdriver.Infrared {
					letter = "LR"[img.Frame.Stream().Index-1:][:1]
				}
				fmt.Fprintf(&text, "%s%d", letter, img.Frame.Number)
			}
			sets = append(sets, text.String())
		})
	}
	return strings.Join(sets, " ")
}

func TestMatching(t *testing.T) {
	for name, c := range map[string]struct {
		frames, want string
	}{
		"one stream":          {"D1@0 D2@33 D3@67", "D1 D2 D3"},
		"pairs":               {"D1@0 C1@4 D2@33 C2@37 D3@67 C3@71", "D1 C1 D2C2 D3C3"},
		"the other way round": {"D1@0 C1@4 C2@37 D2@33 C3@71 D3@67", "D1 C1 D2C2 D3C3"},
		"a lost frame":        {"D1@0 C1@4 D2@33 C2@37 D3@67 D4@100 C4@104 D5@133 C5@137", "D1 C1 D2C2 D3 D4C4 D5C5"},
		"a stream that ends":  {"D1@0 C1@4 D2@33 C2@37 D3@67 D4@100 D5@133 D6@167 D7@200 D8@233 D9@267 D10@300 D11@333 D12@367", "D1 C1 D2C2 D3 D4 D5 D6 D7 D8 D9 D10 D11 D12"},
	} {
		t.Run(name, func(t *testing.T) {
			var held counted
			s := process.NewSyncer()
			if got := push(t, s, &held, c.frames); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			s.Reset()
			if held != 0 {
				t.Errorf("%d frames were not given back", held)
			}
		})
	}
}

// TestReset checks that a seek back without Reset doesn't stall, and that after Reset the
// first frames are emitted immediately, as at the start.
func TestReset(t *testing.T) {
	var held counted
	s := process.NewSyncer()
	push(t, s, &held, "D1@0 C1@4 D2@33 C2@37 D3@67")
	s.Reset()
	if held != 0 {
		t.Errorf("%d frames were not given back", held)
	}
	if got, want := push(t, s, &held, "D1@0 C1@4 D2@33 C2@37"), "D1 C1 D2C2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.Reset()
}

// TestExpect checks that an announced stream is awaited for a limited time.
func TestExpect(t *testing.T) {
	for frames, want := range map[string]string{
		"D1@0 C1@4 D2@33 C2@37": "D1C1 D2C2",
		"D1@0 D2@33 D3@67 D4@100 D5@133 D6@167 D7@200 D8@233 D9@267 D10@300": "D1 D2 D3 D4 D5 D6 D7 D8 D9 D10",
	} {
		var held counted
		s := process.NewSyncer()
		s.Expect(camdriver.DepthStream)
		s.Expect(camdriver.ColorStream)
		if got := push(t, s, &held, frames); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", frames, got, want)
		}
		s.Reset()
		if held != 0 {
			t.Errorf("%d frames were not given back", held)
		}
	}
}

// TestFlush checks that all frames are emitted at the end.
func TestFlush(t *testing.T) {
	var held counted
	s := process.NewSyncer()
	push(t, s, &held, "D1@0 L1@0 C1@4 D2@33 L2@33 C2@37 D3@67")
	sets := 0
	s.Flush(func(set *process.Set) { sets += len(set.Images) })
	if sets != 1 || held != 0 {
		t.Errorf("Flush emitted %d sets, want 1; %d frames not released", sets, held)
	}
}
