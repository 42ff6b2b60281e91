package foxglove

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"rsros/test/need"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	need.Must(t, err)
	return b
}

// TestVectors compares with the snapshots of Foxglove's own implementation.
func TestVectors(t *testing.T) {
	for name, test := range map[string]struct {
		got  []byte
		want string
	}{
		"time":     {appendTime(nil, 1234567890), "02 d2 02 96 49 00 00 00 00"},
		"playback": {appendPlaybackState(nil, PlaybackState{Playing, 12345, 1, 0}, true, ""), "05 00 39 30 00 00 00 00 00 00 00 00 80 3f 01 00 00 00 00"},
		"message":  {appendMessageHead(nil, 7, 258), "01 07 00 00 00 02 01 00 00 00 00 00 00"},
		"response": {appendServiceResponse(nil, 1, 2, "ros1", []byte{9}), "03 01 00 00 00 02 00 00 00 04 00 00 00 72 6f 73 31 09"},
	} {
		if want := unhex(t, test.want); !bytes.Equal(test.got, want) {
			t.Errorf("%s: % x, expected % x", name, test.got, want)
		}
	}
	play := append(unhex(t, "03 00 00 00 80 3f 01 15 cd 5b 07 00 00 00 00 07 00 00 00"), "some-id"...)
	got, err := parseBinary(play)
	want := playbackControl{PlaybackCommand{Play: true, Speed: 1, Seek: true, Time: 123456789}, "some-id"}
	if err != nil || got != any(want) {
		t.Errorf("playback control: %+v, %v; expected %+v", got, err, want)
	}
	call, err := parseBinary(unhex(t, "02 01 00 00 00 02 00 00 00 04 00 00 00 72 6f 73 31 aa bb"))
	if want := (serviceRequest{1, 2, "ros1", []byte{0xaa, 0xbb}}); err != nil || !reflect.DeepEqual(call, want) {
		t.Errorf("service call: %+v, %v; expected %+v", call, err, want)
	}
}

func TestBinaryRefused(t *testing.T) {
	for name, test := range map[string]struct{ sent, says string }{
		"opcode":             {"09 00", "unknown opcode 9"},
		"short message":      {"01 00 00 00", "message data of 4 bytes: it is too short"},
		"short call":         {"02 01 00 00 00 02 00 00 00", "service call request of 9 bytes: it is too short"},
		"encoding too long":  {"02 01 00 00 00 02 00 00 00 ff ff ff ff 72 6f 73 31", "too short"},
		"short playback":     {"03 00 00 00 80 3f 01", "playback control request of 7 bytes: it is too short"},
		"playback command":   {"03 02 00 00 80 3f 00 00 00 00 00 00 00 00 00 00 00 00 00", "command 2"},
		"more than playback": {"03 00 00 00 80 3f 00 00 00 00 00 00 00 00 00 00 00 00 00 00", "1 bytes after it"},
	} {
		if got, err := parseBinary(unhex(t, test.sent)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %+v, %v; expected %q", name, got, err, test.says)
		}
	}
}

// FuzzBinary decodes arbitrary binary messages from a client.
func FuzzBinary(f *testing.F) {
	for _, seed := range []string{"01 01 00 00 00 aa", "02 01 00 00 00 02 00 00 00 04 00 00 00 72 6f 73 31 aa bb",
		"03 00 00 00 80 3f 01 15 cd 5b 07 00 00 00 00 01 00 00 00 61", "02 01 00 00 00 02 00 00 00 ff ff ff ff"} {
		f.Add(unhex(f, seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		parsed, err := parseBinary(b)
		if (parsed == nil) == (err == nil) {
			t.Errorf("%v with %v", parsed, err)
		}
		if r, ok := parsed.(serviceRequest); ok {
			again := appendServiceResponse(nil, r.service, r.call, r.encoding, r.request)
			if again[0] = opServiceRequest; !bytes.Equal(again, b) {
				t.Errorf("% x became % x", b, again)
			}
		}
	})
}

// FuzzText decodes arbitrary text messages from a client, including parameter values.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		`{"op":"subscribe","subscriptions":[{"id":0,"channelId":3}]}`,
		`{"op":"setParameters","parameters":[{"name":"/a","value":[1.5,2],"type":"float64_array"},{"name":"/b","value":"QQ==","type":"byte_array"},{"name":"/c"}],"id":"x"}`,
		`{"op":"advertise","channels":[{"id":1,"topic":"/t","encoding":"ros1","schemaName":"std_msgs/String"}]}`,
		`{"op":"setParameters","parameters":[{"name":"/n","value":{"a":[null,1e400,99999999999]}}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseText([]byte(text))
		if err != nil {
			return
		}
		for i := range r.Parameters {
			value, err := r.Parameters[i].value()
			if err != nil || value == nil {
				continue
			}
			p := parameterOf(r.Parameters[i].Name, value)
			again, err := p.value()
			if err != nil || !reflect.DeepEqual(again, value) {
				t.Errorf("%#v became %s %s and then %#v, %v", value, p.Type, p.Value, again, err)
			}
		}
	})
}

func TestParameters(t *testing.T) {
	for name, test := range map[string]struct {
		value      any
		json, kind string
	}{
		"bool":    {true, `true`, ""},
		"int":     {-7, `-7`, ""},
		"double":  {1.0, `1.0`, "float64"},
		"string":  {"a<b", `"a<b"`, ""},
		"bytes":   {[]byte("A"), `"QQ=="`, "byte_array"},
		"ints":    {[]any{1, 2}, `[1,2]`, ""},
		"doubles": {[]any{1.0, 2.5}, `[1.0,2.5]`, "float64_array"},
		"struct":  {map[string]any{"a": 1.0, "b": []any{"x", 2}}, `{"a":1.0,"b":["x",2]}`, ""},
	} {
		p := parameterOf(name, test.value)
		if string(p.Value) != test.json || p.Type != test.kind {
			t.Errorf("%s: %s of type %q, expected %s of type %q", name, p.Value, p.Type, test.json, test.kind)
		}
		if back, err := p.value(); err != nil || !reflect.DeepEqual(back, test.value) {
			t.Errorf("%s: back comes %#v, %v; expected %#v", name, back, err, test.value)
		}
	}
	for _, p := range []parameter{{Value: []byte("2147483648")}, {Value: []byte("[1,null]")}, {Value: []byte(`"?"`), Type: typeBytes}, {Value: []byte("1"), Type: typeBytes}, {Value: []byte("1e999")}} {
		if v, err := p.value(); err == nil {
			t.Errorf("%s %s was taken as %v", p.Value, p.Type, v)
		}
	}
}
