package api

import (
	"encoding/json"
	"testing"

	"rsros/test/need"
)

func TestHead(t *testing.T) {
	h := Head{Kind: Video, Codec: RVL, Stream: 0x0203, Sequence: 4, Number: 5, Stamp: 6, Time: 7, Width: 8, Height: 9, Stride: 10, Metadata: 11, Skipped: 12}
	b := h.Append(nil)
	if len(b) != HeadSize {
		t.Fatalf("%d bytes, want %d", len(b), HeadSize)
	}
	for at, want := range map[int]byte{0: 1, 1: 1, 2: 3, 3: 2, 4: 4, 8: 5, 16: 6, 24: 7, 32: 8, 34: 9, 36: 10, 40: 11, 44: 12} {
		if b[at] != want {
			t.Errorf("byte %d is %d, want %d", at, b[at], want)
		}
	}
}

func TestNanos(t *testing.T) {
	const text = `{"playing":false,"position":"1700000000123456789","rate":1,"loop":false,"range":["-5","7"],"ended":false,"set":null,"round":0}`
	var s State
	need.Must(t, json.Unmarshal([]byte(text), &s))
	if *s.Position != 1700000000123456789 || *s.Range != [2]Nanos{-5, 7} {
		t.Errorf("position %d, range %v", *s.Position, *s.Range)
	}
	if again, err := json.Marshal(s); err != nil || string(again) != text {
		t.Errorf("%s, %v; want %s", again, err, text)
	}
}

func TestParseRequest(t *testing.T) {
	for _, text := range []string{
		`{"op":"subscribe","stream":1,"codec":"raw","divisor":1}`, `{"op":"ping","t":5}`, `{"op":"ping","t":"now"}`, `{"op":"credit","stream":1,"upto":3}`,
		`{"op":"seek","id":1,"time":"5"}`, `{"op":"anything","id":1}`,
	} {
		if _, err := ParseRequest([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		``, `[]`, `{}`, `{"op":"seek"}`, `{"op":"subscribe","stream":1,"codec":"zip","divisor":1}`, `{"op":"subscribe","stream":1,"codec":"raw","divisor":3}`,
		`{"op":"subscribe","stream":-1,"codec":"raw","divisor":1}`, `{"op":"subscribe","stream":70000,"codec":"raw","divisor":1}`, `{"op":"ping","t":{}}`,
		`{"op":"credit","stream":1,"upto":-1}`, `{"op":"seek","id":1,"time":5.5}`, `{"op":"seek","id":"x"}`,
	} {
		if r, err := ParseRequest([]byte(text)); err == nil {
			t.Errorf("%s was taken: %+v", text, r)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"op":"subscribe","stream":1,"codec":"raw","divisor":1}`))
	f.Add([]byte(`{"op":"range","id":1,"range":["1","2"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := ParseRequest(text); (r == nil) == (err == nil) {
			t.Errorf("%v and %v", r, err)
		}
	})
}
