package program

import "testing"

func TestSummary(t *testing.T) {
	for want, s := range map[string]Summary{
		"wrote walk.bag: 1204 messages, 12.3 MB":  {Paths: []string{"walk.bag"}, Counts: []string{Count(1204, "message")}, Size: 123 << 20 / 10},
		"wrote 3 files, a.bag … c.bag: 1 message": {Paths: []string{"a.bag", "b.bag", "c.bag"}, Counts: []string{Count(1, "message")}},
		"recorded x.bag: 3 frames; dropped 2 frames; lost 1 message; next: play it": {
			Verb: "recorded", Paths: []string{"x.bag"}, Counts: []string{Count(3, "frame")},
			Losses: []string{"dropped 2 frames", "lost 1 message"}, Next: "play it",
		},
		"checked 2 recordings, 1 damaged": {Verb: "checked", Counts: []string{Count(2, "recording"), "1 damaged"}},
		"wrote":                           {},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCount(t *testing.T) {
	if got := Count(0, "chunk") + ", " + Count(1, "chunk") + ", " + Count(2, "chunk"); got != "0 chunks, 1 chunk, 2 chunks" {
		t.Error(got)
	}
}

func TestSizeText(t *testing.T) {
	for size, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KB", 1024*1023 + 972: "1023.9 KB", 1024*1023 + 973: "1.0 MB",
		3 << 29: "1.5 GB", 9000 << 40: "9000.0 TB",
	} {
		if got := SizeText(size); got != want {
			t.Errorf("%d: %q, want %q", size, got, want)
		}
	}
}
