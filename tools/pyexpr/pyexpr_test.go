package pyexpr

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// expressions must do what Python does, one on each line.
//
//go:embed testdata/expressions.txt
var expressions string

func lines() []string { return strings.Split(strings.TrimSpace(expressions), "\n") }

// TestLikePython compares results with Python's over the messages of recordings.
// An exception in Python is an error here.
func TestLikePython(t *testing.T) {
	for _, path := range []string{samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag"), samplebag.Robot(t, "robot.bag")} {
		t.Run(filepath.Base(path), func(t *testing.T) { compareWithPython(t, path, lines()) })
	}
}

func compareWithPython(t *testing.T, path string, expressions []string) {
	python := need.Python(t, "rosbag")
	texts, err := json.Marshal(expressions)
	need.Must(t, err)
	cmd := exec.Command(python, "-W", "ignore", "testdata/evaluate.py", path)
	cmd.Stdin = strings.NewReader(string(texts))
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var want [][][2]string
	need.Must(t, json.Unmarshal(out, &want))
	envs := sample(t, path)
	for i, text := range expressions {
		x, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if len(envs) != len(want[i]) {
			t.Fatalf("%d messages, Python has %d", len(envs), len(want[i]))
		}
		for j, env := range envs {
			got := "F"
			holds, err := x.Holds(env)
			if err != nil {
				got = "E"
			} else if holds {
				got = "T"
			}
			if got != want[i][j][0] {
				t.Errorf("%s of message %d on %s: %s (%v), Python says %s", text, j, env.Topic, got, err, want[i][j][0])
				break
			}
			var printed strings.Builder
			if err := x.WriteValue(&printed, env); err == nil && want[i][j][1] != "" && printed.String() != want[i][j][1] {
				t.Errorf("%s of message %d is printed as %s, by Python as %s", text, j, &printed, want[i][j][1])
				break
			}
		}
	}
}

// sample returns the messages that the Python program evaluates.
func sample(t *testing.T, path string) (list []Env) {
	t.Helper()
	i := -1
	samplebag.Each(t, func(m bagstore.Message) {
		if i++; i%211 != 0 && i > 60 {
			return
		}
		spec, err := msgs.Parse(m.Conn.Type, m.Conn.Definition)
		need.Must(t, err)
		list = append(list, Env{Topic: m.Conn.Topic, Time: msgs.Time(m.Time), Spec: spec, Data: slices.Clone(m.Data)})
	}, samplebag.Open(t, path))
	return list
}

// TestRefused checks that syntax errors name the place and what was found.
func TestRefused(t *testing.T) {
	for source, want := range map[string]string{
		"":                              "column 1: unexpected end of expression",
		"topic ==":                      "column 9: unexpected end of expression",
		"topics == '/tf'":               "column 1: topics is not supported; use topic, m and t",
		"lambda x: x":                   "column 1: lambda is not supported",
		"[x for y in m.data]":           "column 2: x is not supported",
		"[x, y for x in m.data]":        "column 2: x is not supported",
		"any(x for x in m.data, 1)":     "column 22: expected ), found ,",
		"[x for 1 in m.data]":           "column 8: unexpected 1",
		"[x for x in y]":                "column 13: y is not supported",
		"{x: 1 for x in m.data}":        "column 3: unexpected :",
		"map(m.ranges)":                 "column 1: map is not supported",
		"__import__('os').system('ls')": "column 1: __import__ is not supported",
		"topic.replace('a', 'b')":       "column 7: method replace is not supported",
		"m.__class__()":                 "column 3: method __class__ is not supported",
		"re.match('a', topic)":          "column 1: re is not supported",
		"topic.startswith()":            "column 7: startswith with 0 arguments is not supported",
		"topic[]":                       "column 7: unexpected ]",
		"topic[1:2:3:4]":                "column 12: expected ], found :",
		"topic[1](2)":                   "column 9: calling this value is not supported",
		"m.data & 1":                    "column 8: unexpected &",
		"topic = '/tf'":                 "column 7: unexpected =",
		"2 ** ":                         "column 6: unexpected end of expression",
		"m.x is":                        "column 7: unexpected end of expression",
		"f'{topic}'":                    "column 1: string prefix f is not supported",
		"b'x' in m.data":                "column 1: string prefix b is not supported",
		"'abc":                          "column 1: unterminated string",
		"012":                           "column 1: invalid number 012",
		"1x":                            "column 1: invalid number 1x",
		"{}":                            "column 2: dictionaries are not supported",
		"a b":                           "column 1: a is not supported",
		"topic $":                       "column 7: unexpected '$'",
		"(topic":                        "column 7: expected ), found end of expression",
		"not":                           "column 4: unexpected end of expression",
		"topic not '/tf'":               "column 11: expected in",
		strings.Repeat("(", 1000):       "nested too deeply",
		strings.Repeat("1+", 40000):     "the limit is",
	} {
		_, err := Parse(source)
		if _, ok := errors.AsType[*SyntaxError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", source, err, want)
		}
	}
}

// TestBounds checks the limits on steps and memory, with a tenth of what an evaluation may take, and that it may take no
// more than these.
func TestBounds(t *testing.T) {
	spec, err := msgs.Parse("x/Large", "uint8[] data\nstring[] names\n")
	need.Must(t, err)
	const n = 1 << 13
	data := slices.Concat([]byte{0, 0x20, 0, 0}, make([]byte, n), []byte{0, 0x20, 0, 0}, make([]byte, 4*n))
	for source, want := range map[string]string{
		"any(x > y for x in m.data for y in m.data)":                       "500000 steps",
		"any(m.names[i] == 'a' for i in range(len(m.names)))":              "steps",
		"any(m.names != m.names for x in range(1000))":                     "steps",
		"any(m.names[-1] == 'a' for i in range(10000000))":                 "steps",
		"'%1000d' % 1 == [('%1000d' % 1) for x in m.data for y in m.data]": "MiB of memory",
		"'{:1001}'.format(1)":                                              "width",
		"'%.1001f' % 1":                                                    "precision",
		"10 ** 5000":                                                       "4300 digits",
		"10 ** 10 ** 10":                                                   "digits",
		strings.Repeat("(10 ** 4000) * ", 100) + "1":                       "4300 digits",
		"any(str(m.data) == 'a' for x in m.data)":                          "steps",
		"len(" + strings.Repeat("[[x, x] for x in [", 30) + "1" + strings.Repeat("]][0]", 30) + ") == 2":  "",
		"str(" + strings.Repeat("[[x, x] for x in [", 30) + "1" + strings.Repeat("]][0]", 30) + ") == ''": "s",
	} {
		x, err := Parse(source)
		if err != nil {
			t.Errorf("%.60s: %v", source, err)
			continue
		}
		err = x.evaluateWithin(bounds{maxSteps / 10, maxMemory / 10}, Env{Spec: spec, Data: data}, func(f *frame, v any) { truth(v) })
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60s: %.300v, want %q", source, err, want)
		}
	}
	for source, want := range map[string]string{
		"any(x > y for x in m.data for y in m.data)": "5163872 steps", "topic + topic": "64 MiB of memory",
	} {
		x, err := Parse(source)
		need.Must(t, err)
		if _, err := x.Holds(Env{Topic: strings.Repeat("x", 33<<20), Spec: spec, Data: data}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

// TestCancelled checks that a long evaluation ends with its context.
func TestCancelled(t *testing.T) {
	x, err := Parse("any(a > b for a in range(300) for b in range(300) if a < 0)")
	need.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	if holds, err := x.Holds(Env{Context: ctx}); holds || err != nil {
		t.Error(holds, err)
	}
	cancel()
	if _, err := x.Holds(Env{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// BenchmarkHolds evaluates common expressions over a message with an image.
func BenchmarkHolds(b *testing.B) {
	spec, err := msgs.Parse("x/Image", "Header header\nuint32 height\nuint8[] data\n"+strings.Repeat("=", 80)+"\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
	need.Must(b, err)
	data := append(make([]byte, 20), []byte{0, 0, 16, 0}...)
	data = append(data, make([]byte, 1<<20)...)
	for _, source := range []string{"topic == '/tf' and m.height > 3", "t.to_sec() > 12.5 and m.header.seq % 10 == 0 or topic.startswith('/camera')", "7 in m.data", "max(m.data) > 3"} {
		b.Run(source, func(b *testing.B) {
			x, err := Parse(source)
			need.Must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Holds(Env{Topic: "/tf", Time: 13e9, Spec: spec, Data: data}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzParse parses any expression and evaluates it over any message.
func FuzzParse(f *testing.F) {
	for _, source := range lines() {
		f.Add(source, []byte{3, 0, 0, 0, 'a', 'b', 'c'})
	}
	spec, err := msgs.Parse("x/All", "string data\nuint8[] bytes\nfloat64[3] three\ntime stamp\nHeader header\nstring[] names\nint32 N=3\n"+
		strings.Repeat("=", 80)+"\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
	need.Must(f, err)
	f.Fuzz(func(t *testing.T, source string, data []byte) {
		x, err := Parse(source)
		if err != nil {
			return
		}
		env := Env{Topic: "/topic", Time: msgs.Time(len(source)), Spec: spec, Data: data}
		holds, err := x.Holds(env)
		var out strings.Builder
		printErr := x.WriteValue(&out, env)
		if (err == nil) != (printErr == nil) {
			t.Errorf("%q is %v, %v; printed %q, %v", source, holds, err, &out, printErr)
		}
	})
}
