package wire

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
)

func TestHeaderRoundTrip(t *testing.T) {
	for _, h := range []Header{
		{},
		{"callerid": "/a", "topic": "/t", "md5sum": "*", "type": "*", "tcp_nodelay": "1"},
		{"message_definition": "int32 A=1\nstring s\n", "empty": ""},
	} {
		b := h.AppendTo(nil)
		got, err := ReadHeader(iotest.OneByteReader(bytes.NewReader(b)))
		if err != nil || !maps.Equal(got, h) {
			t.Errorf("%v: got %v, %v", h, got, err)
		}
		if !bytes.Equal(b, h.AppendTo(nil)) {
			t.Error("encoding isn't deterministic")
		}
	}
}

func TestHeaderWire(t *testing.T) {
	got := Header{"b": "2", "a": "1"}.AppendTo(nil)
	want := "\x0e\x00\x00\x00" + "\x03\x00\x00\x00a=1" + "\x03\x00\x00\x00b=2"
	if string(got) != want {
		t.Errorf("%q", got)
	}
}

func TestBadHeaders(t *testing.T) {
	for name, b := range map[string]string{
		"huge":          "\xff\xff\xff\xff",
		"field too big": "\x08\x00\x00\x00\xff\xff\xff\xff1234",
		"field cut":     "\x03\x00\x00\x00abc",
		"no equals":     "\x07\x00\x00\x00\x03\x00\x00\x00abc",
		"no key":        "\x06\x00\x00\x00\x02\x00\x00\x00=a",
	} {
		if _, err := ReadHeader(strings.NewReader(b)); !errors.Is(err, errHeader) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, b := range []string{"", "\x01", "\x04\x00\x00\x00\x00"} {
		if _, err := ReadHeader(strings.NewReader(b)); err == nil {
			t.Errorf("%q was accepted", b)
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add(Header{"callerid": "/a", "md5sum": "*"}.AppendFields(nil))
	f.Add([]byte{})
	f.Add([]byte("\xff\xff\xff\x7fa=b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ParseHeader(b)
		if err != nil {
			return
		}
		again, err := ParseHeader(h.AppendFields(nil))
		if err != nil || !maps.Equal(again, h) {
			t.Errorf("%v became %v, %v", h, again, err)
		}
	})
}
