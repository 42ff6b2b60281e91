package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program/yaml"
	"rsros/tools/dataset"
)

// Robot says what a LeRobot data set has besides images.
type Robot struct {
	Task   string        `json:"task"`
	Type   string        `json:"robot_type,omitempty"`
	FPS    int           `json:"fps,omitempty"` // of the rows; 0: --fps, or the first camera's
	MaxAge time.Duration `json:"max_age_ns"`    // of a value
	State  []Source      `json:"state,omitempty"`
	Action []Source      `json:"action,omitempty"`
}

// Source is a topic whose numbers are a part of the state or the action.
type Source struct {
	Topic  string   `json:"topic"`
	Fields []string `json:"fields"`           // paths to numbers or to arrays of them
	Joints []string `json:"joints,omitempty"` // elements to take, by the message's field name; nil: all
}

const (
	jointState    = "sensor_msgs/JointState"
	defaultMaxAge = 200 * time.Millisecond
	maxFPS        = 1000
)

// NewRobot returns what a robot is without a file.
func NewRobot(task string) *Robot { return &Robot{Task: task, MaxAge: defaultMaxAge} }

// ReadRobot reads a robot from a YAML file. Errors have the line and the key.
func ReadRobot(path string) (*Robot, error) { return yaml.ReadFile(path, parseRobot) }

func parseRobot(text []byte) (*Robot, error) {
	r := NewRobot("")
	err := yaml.Keys{
		"task":       yaml.Into(&r.Task, word),
		"robot_type": yaml.Into(&r.Type, word),
		"fps": func(n *yaml.Node) error {
			v, err := strconv.Atoi(n.Value)
			if n.Kind != yaml.Scalar || err != nil || v < 1 || v > maxFPS {
				return yaml.Wrong(n, fmt.Sprintf("a whole number from 1 to %d", maxFPS))
			}
			r.FPS = v
			return nil
		},
		"max_age": func(n *yaml.Node) error {
			v, err := strconv.ParseFloat(n.Value, 64)
			if n.Kind != yaml.Scalar || err != nil || !(v > 0 && v <= 3600) {
				return yaml.Wrong(n, "seconds above 0, up to 3600")
			}
			r.MaxAge = time.Duration(v * float64(time.Second))
			return nil
		},
		"state":  yaml.Elements("topics", &r.State, parseSource),
		"action": yaml.Elements("topics", &r.Action, parseSource),
	}.Parse(text, errors.New("it is empty"))
	return r, err
}

func parseSource(n *yaml.Node) (s Source, err error) {
	err = yaml.Keys{
		"topic":  yaml.Into(&s.Topic, word),
		"fields": yaml.Elements("texts", &s.Fields, word),
		"joints": yaml.Elements("texts", &s.Joints, word),
	}.Take(n)
	switch {
	case err != nil:
	case s.Topic == "":
		err = yaml.Fail(n, "found no topic")
	case max(len(s.Fields), len(s.Joints)) > maxNumbers:
		err = yaml.Fail(n, "found more than %d fields or joints", maxNumbers)
	}
	return s, err
}

func word(n *yaml.Node) (string, error) { return yaml.Word(n) }

// maxNumbers bounds the numbers of a source, and those that wait.
const (
	maxNumbers = 4096
	maxWaiting = 1 << 20
)

// sample is a source's numbers in one message.
type sample struct {
	at      int64 // file time
	stamp   int64 // the header's, or the file time
	numbers []float32
	bad     error
}

// feed has the samples of a source around the time of the current set.
type feed struct {
	Source
	what    string // the feature
	types   map[*bagstore.Connection]*msgs.Spec
	byStamp bool     // samples are compared with sets by their stamps, otherwise by file time
	names   []string // of the numbers of the first good sample; nil before it
	waiting []sample // in order of file time
}

func newFeed(s *dataset.Input, what string, from Source) (*feed, error) {
	f := &feed{Source: from, what: what, types: make(map[*bagstore.Connection]*msgs.Spec)}
	selected := s.Filter.Query().Connections
	for _, c := range s.File.Bag().Connections() {
		if c.Topic != f.Topic || !selected(c) {
			continue
		}
		spec, err := msgs.Parse(c.Type, c.Definition)
		if err != nil {
			return nil, fmt.Errorf("%s: topic %s: %w", s.Recording, c.Topic, err)
		}
		if len(f.Fields) == 0 {
			if c.Type != jointState {
				return nil, fmt.Errorf("%s: topic %s is %s: name its fields for %s", s.Recording, c.Topic, c.Type, what)
			}
			f.Fields = []string{"position"}
		}
		f.types[c] = spec
	}
	if len(f.types) == 0 {
		return nil, fmt.Errorf("%s: %w: no selected topic %s for %s", s.Recording, dataset.ErrStreams, f.Topic, what)
	}
	return f, nil
}

// add takes the source's next message. stamps says that stamps of messages and sets are of one clock.
func (f *feed) add(m bagstore.Message, stamps bool) {
	spec := f.types[m.Conn]
	v := sample{at: int64(m.Time), stamp: int64(m.Time)}
	t, ok := spec.Stamp(m.Data)
	if ok = ok && t != 0; ok {
		v.stamp = int64(t)
	}
	if f.waiting == nil {
		f.byStamp = ok && stamps
	}
	var names []string
	if v.bad = spec.Check(m.Data); v.bad == nil {
		v.numbers, names, v.bad = f.numbers(spec.Value(m.Data))
	}
	if v.bad == nil {
		if f.names == nil {
			f.names = names
		}
		if !slices.Equal(names, f.names) {
			v.bad = errors.New("has other joints or array lengths than the first message")
		}
	}
	f.waiting = append(f.waiting, v)
}

// numbers returns the numbers of a message, and their names.
func (f *feed) numbers(m msgs.Value) (numbers []float32, names []string, err error) {
	var joints []string
	if list, ok := m.Field("name"); ok && list.IsArray() && list.Kind() == msgs.KindString {
		if list.Len() > maxNumbers {
			return nil, nil, fmt.Errorf("has %d names", list.Len())
		}
		for v := range list.All() {
			joints = append(joints, v.Decoder().String())
		}
	}
	for _, path := range f.Fields {
		v, ok := m, true
		for part := range strings.SplitSeq(path, ".") {
			if v, ok = v.Field(part); !ok {
				return nil, nil, fmt.Errorf("has no field %s", path)
			}
		}
		if !v.IsArray() {
			n, err := number(v)
			if err != nil {
				return nil, nil, fmt.Errorf("field %s: %w", path, err)
			}
			numbers, names = append(numbers, n), append(names, path)
			continue
		}
		if v.Len() > maxNumbers-len(numbers) {
			return nil, nil, fmt.Errorf("field %s has %d numbers, want at most %d", path, v.Len(), maxNumbers)
		}
		var all []float32
		for e := range v.All() {
			n, err := number(e)
			if err != nil {
				return nil, nil, fmt.Errorf("field %s: %w", path, err)
			}
			all = append(all, n)
		}
		part, of, err := f.choose(path, joints, all)
		if err != nil {
			return nil, nil, err
		}
		numbers, names = append(numbers, part...), append(names, of...)
	}
	if len(numbers) == 0 {
		return nil, nil, errors.New("has no numbers")
	}
	return numbers, names, nil
}

// choose returns the elements of an array that the source wants, and names them.
func (f *feed) choose(path string, joints []string, all []float32) (part []float32, names []string, err error) {
	if len(joints) != len(all) {
		if len(f.Joints) > 0 {
			return nil, nil, fmt.Errorf("field %s has %d numbers of %d joints", path, len(all), len(joints))
		}
		for i := range all {
			names = append(names, fmt.Sprintf("%s[%d]", path, i))
		}
		return all, names, nil
	}
	name := func(joint string) string {
		if path == "position" {
			return joint
		}
		return joint + "." + path
	}
	if len(f.Joints) == 0 {
		for _, joint := range joints {
			names = append(names, name(joint))
		}
		return all, names, nil
	}
	for _, joint := range f.Joints {
		i := slices.Index(joints, joint)
		if i < 0 {
			return nil, nil, fmt.Errorf("has no joint %s", joint)
		}
		part, names = append(part, all[i]), append(names, name(joint))
	}
	return part, names, nil
}

func number(v msgs.Value) (float32, error) {
	var n float64
	switch x := v.Decoded().(type) {
	case bool:
		if x {
			n = 1
		}
	case int64:
		n = float64(x)
	case uint64:
		n = float64(x)
	case float64:
		n = x
	default:
		return 0, fmt.Errorf("is %s, not a number", v.Type())
	}
	if single := float32(n); !math.IsInf(float64(single), 0) && single == single {
		return single, nil
	}
	return 0, fmt.Errorf("is %v", n)
}

// last returns the last sample at or before a time, and forgets those before it. Stamps needn't be in
// the order of the recording.
func (f *feed) last(at int64) (best sample, ok bool) {
	for _, v := range f.waiting {
		if t := f.time(v); t <= at && (!ok || t >= f.time(best)) {
			best, ok = v, true
		}
	}
	if ok {
		f.waiting = slices.DeleteFunc(f.waiting, func(v sample) bool { return f.time(v) < f.time(best) })
	}
	return best, ok
}

func (f *feed) time(v sample) int64 {
	if f.byStamp {
		return v.stamp
	}
	return v.at
}
