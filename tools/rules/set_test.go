package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestParseErrors: an error names the line and the key.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"": "no rules", "# nothing": "no rules",
		"[]":                                             "line 1: found a list, want some of recording, topics",
		"recording:\n  sise: {max: 1}":                   `line 2: recording: found the key "sise", want some of compression, duration, lost_frames, messages, out_of_order, realsense, size`,
		"recording:\n  size: 5":                          `line 2: recording: size: found "5", want some of max, min`,
		"recording:\n  size:\n    max: -5":               `line 3: recording: size: max: found "-5", want bytes, or KiB, MiB or GiB with k, M or G`,
		"recording: {size: {max: 9000000G}}":             "want bytes",
		"recording: {duration: {min: 2s, max: 1s}}":      "line 1: recording: duration: min is above max",
		"recording: {duration: {min: 10}}":               `duration: min: found "10", want a time with its unit`,
		"recording: {messages: {min: 1.5}}":              `messages: min: found "1.5", want a whole number`,
		"recording: {messages: {min: 1, min: 2}}":        "found the key min again",
		"recording: {realsense: maybe}":                  `realsense: found "maybe", want true, false`,
		"recording: {compression: [none, rar]}":          `compression: found "rar", want none, bz2, lz4, zstd`,
		"topics: {}":                                     "line 1: topics: found keys, want a list of topics",
		"topics: [{}]":                                   "line 1: topics: found keys, want some of expect, gap",
		"topics:\n- type: a/B":                           "line 2: topics: found neither topic nor match",
		"topics: [{topic: /a, match: /b}]":               "line 1: topics: match: found both topic and match",
		"topics: [{match: '/a('}]":                       "line 1: topics: match: regular expression \"/a(\": missing closing )",
		"topics: [{topic: ''}]":                          `topics: topic: found "", want a text`,
		"topics: [{topic: /a, rate: {min: .nan}}]":       `rate: min: found ".nan", want a number`,
		"topics: [{topic: /a, rate: {max: 1e999}}]":      "rate: max: found",
		"topics: [{topic: /a, expect: yes}]":             `expect: found "yes", want present, optional, absent`,
		"topics: [{topic: /a, gap: &x {max: 1s}}]":       "anchors are not supported",
		"topics: [{topic: /a, stamp_step: {min: [1s]}}]": "stamp_step: min: found a list",
		"recording: {? [a] : 1}":                         "found the key",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]string{"3k": "3072", "1M": "1048576", "4G": "4294967296", "17": "17"} {
		if v, ok := parseBytes(text); !ok || byteSize.format(v) != want {
			t.Errorf("%s: %v, want %s", text, v, want)
		}
	}
	for _, u := range []unit{count, byteSize, hertz, spell} {
		for _, v := range []float64{0, 1, 1234567, 4e15} {
			if got, ok := u.parse(u.format(v)); !ok || got != v {
				t.Errorf("%v as %q is %v", v, u.format(v), got)
			}
		}
	}
}

const page = "../../docs/rules.md"

// TestPage runs the example of the documentation, and looks up each key there.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	need.Must(t, err)
	example := regexp.MustCompile("(?s)```yaml\n(# rules.*?)```").FindSubmatch(text)
	if example == nil {
		t.Fatalf("%s has no example of rules", page)
	}
	path := filepath.Join(t.TempDir(), "good.bag")
	write(t, path, good(), bagstore.None)
	set := parse(t, string(example[1]))
	m := measure(t, path)
	if found := failures(set, m); found != "" {
		t.Error(found)
	}
	if rep := set.Evaluate(m); rep.Rules < 15 {
		t.Errorf("the example compares %d rules", rep.Rules)
	}
	for name, list := range map[string][]quantity{"recording": ofRecording, "topics": ofTopic} {
		for _, q := range list {
			if row := "| `" + q.key + "` | " + q.unit.wants + " | " + q.meaning + " |\n"; !strings.Contains(string(text), row) {
				t.Errorf("%s: %s lacks the row\n%s", name, page, row)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range rulesOfTopics {
		f.Add([]byte(test.rule))
	}
	f.Add([]byte("recording:\n  realsense: true\n  compression: [none, lz4]\n  size: {max: 4G}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		s, err := Parse(text)
		if (err == nil) != (s != nil) {
			t.Fatalf("%v, %v", s, err)
		}
		if err == nil {
			s.Evaluate(&Measures{topics: []*topic{{name: "/imu/data", types: []string{imuType}}, {name: "/chatter", messages: 3}}})
		}
	})
}
