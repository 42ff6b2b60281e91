package graph

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
)

func testParameters() []Parameter {
	return []Parameter{
		{Name: "on", Default: true},
		{Name: "level", Default: 3, Min: 1, Max: 9},
		{Name: "map", Default: 0, Choices: []Choice{{Name: "Jet", Value: 0}, {Name: "Classic", Description: "it's old", Value: 1}}},
		{Name: "far", Default: 4.0, Min: 0.0, Max: 16.0},
		{Name: "format", Description: "how", Default: "png", Choices: []Choice{{Name: "png", Value: "png"}, {Name: "rvl", Value: "rvl"}}},
	}
}

func TestAccept(t *testing.T) {
	for name, c := range map[string]struct{ given, want any }{
		"a switch":            {map[string]any{"on": false}, Values{"on": false}},
		"a switch as number":  {map[string]any{"on": 0}, nil},
		"in range":            {map[string]any{"level": 5}, Values{"level": 5}},
		"below":               {map[string]any{"level": -5}, Values{"level": 1}},
		"above":               {map[string]any{"far": 1e9}, Values{"far": 16.0}},
		"without a point":     {map[string]any{"far": 3}, Values{"far": 3.0}},
		"not a number":        {map[string]any{"far": math.NaN()}, nil},
		"a choice":            {map[string]any{"format": "rvl", "map": 1}, Values{"format": "rvl", "map": 1}},
		"no choice":           {map[string]any{"format": "zip", "map": 2}, nil},
		"nobody's":            {map[string]any{"else": 1}, nil},
		"a list for a string": {map[string]any{"format": []any{"png"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			want := Values{"on": true, "level": 3, "map": 0, "far": 4.0, "format": "png"}
			changed, _ := c.want.(Values)
			for k, v := range changed {
				want[k] = v
			}
			got := Values{}
			for _, p := range Parameters(testParameters()).merged(c.given.(map[string]any)) {
				got[p.Name] = p.Default
			}
			for k, v := range want {
				if got[k] != v {
					t.Errorf("%s is %v, want %v", k, got[k], v)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestDescription(t *testing.T) {
	d := Parameters(testParameters()).describe()
	const wantEdit = `{'enum': [{'name': 'Jet', 'value': 0, 'type': 'int', 'description': ''}, {'name': 'Classic', 'value': 1, 'type': 'int', 'description': 'it\'s old'}], 'enum_description': ''}`
	for i, kind := range []string{"bool", "int", "int", "double", "str"} {
		if p := d.Groups[0].Parameters[i]; p.Type != kind {
			t.Errorf("%s is a %s, want %s", p.Name, p.Type, kind)
		}
	}
	if edit := d.Groups[0].Parameters[2].EditMethod; edit != wantEdit {
		t.Errorf("choices %s, want %s", edit, wantEdit)
	}
	for name, c := range map[string]msgs.Config{"least": d.Min, "greatest": d.Max, "default": d.Dflt} {
		if len(c.Bools) != 1 || len(c.Ints) != 2 || len(c.Doubles) != 1 || len(c.Strs) != 1 {
			t.Errorf("%s values %+v", name, c)
		}
	}
	if d.Min.Ints[0].Value != 1 || d.Max.Ints[0].Value != 9 || d.Min.Bools[0].Value || !d.Max.Bools[0].Value || d.Max.Doubles[0].Value != 16 {
		t.Errorf("ranges %+v to %+v", d.Min, d.Max)
	}
}

func TestReconfigureRefuses(t *testing.T) {
	refuse := errors.New("not now")
	n := testNode(t)
	var applied []int
	r, err := OfferReconfigure(t.Context(), n, "camera/filter", testParameters(), func(v Values) error {
		applied = append(applied, v["level"].(int))
		if v["level"] == 9 {
			return refuse
		}
		return nil
	})
	need.Must(t, err)
	defer r.Close()
	need.Must(t, n.Sync(t.Context()))
	for _, level := range []int32{5, 9} {
		request := msgs.Marshal(&msgs.Config{Ints: []msgs.Param[int32]{{Name: "level", Value: level}}})
		_, err := n.CallService(t.Context(), "camera/filter/set_parameters", msgs.MustService("dynamic_reconfigure/Reconfigure"), request)
		if refused := err != nil && strings.Contains(err.Error(), refuse.Error()); refused != (level == 9) || refused != (err != nil) {
			t.Errorf("level %d: %v", level, err)
		}
	}
	if v := r.Publish(); v.Ints[0].Value != 5 || len(applied) != 3 {
		t.Errorf("%v after %v", v, applied)
	}
	if v, _, err := n.Param(t.Context(), "camera/filter"); err != nil || !reflect.DeepEqual(v, map[string]any{"level": 5}) {
		t.Errorf("a restarted node finds %v, %v", v, err)
	}
}

// testMaster is a master that ends with the test.
func testMaster(t *testing.T) *Master {
	t.Helper()
	m, err := StartMaster(t.Context(), MasterOptions{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: zerolog.Nop()})
	need.Must(t, err)
	t.Cleanup(func() {
		need.Must(t, m.Close())
	})
	return m
}

// testNode is a node at a master of its own.
func testNode(t *testing.T) *ros.Node {
	t.Helper()
	n, err := ros.NewNode(t.Context(), ros.Config{Name: "camera", MasterURI: testMaster(t).URI(), Host: "127.0.0.1", Log: zerolog.Nop()})
	need.Must(t, err)
	t.Cleanup(func() {
		need.Must(t, n.Close())
	})
	return n
}

// TestEndOfContext checks that questions to the master and services of a node end with their contexts.
func TestEndOfContext(t *testing.T) {
	n := testNode(t)
	need.Must(t, n.SetParam(t.Context(), "camera/filter", map[string]any{"level": 5}))
	ended, end := context.WithCancel(t.Context())
	end()
	for ctx, want := range map[context.Context]int{t.Context(): 5, ended: 3} {
		var level any
		r, err := OfferReconfigure(ctx, n, "camera/filter", testParameters(), func(v Values) error {
			level = v["level"]
			return nil
		})
		need.Must(t, err)
		r.Close()
		if level != want {
			t.Errorf("level %v at the start, want %d", level, want)
		}
	}
	waits := make(chan struct{})
	if _, err := Offer(n, Trigger("wait", func(ctx context.Context) (string, error) {
		close(waits)
		<-ctx.Done()
		return "", ctx.Err()
	})); err != nil {
		t.Fatal(err)
	}
	need.Must(t, n.Sync(t.Context()))
	answered := make(chan error, 1)
	go func() {
		_, err := n.CallService(context.Background(), "wait", msgs.MustService("std_srvs/Trigger"), nil)
		answered <- err
	}()
	<-waits
	need.Must(t, n.Close())
	<-answered
}
