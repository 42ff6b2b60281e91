package parquet

import (
	"bytes"
	"reflect"
	"testing"

	pq "github.com/parquet-go/parquet-go"
)

// Another program reads values of all types, lists and absent values, whatever the number of groups.
func TestWriter(t *testing.T) {
	type point struct {
		X     float64  `parquet:"x"`
		Label *string  `parquet:"label,optional"`
		Tags  []string `parquet:"tags,list"`
	}
	type row struct {
		Index  int64     `parquet:"index"`
		When   int64     `parquet:"when,timestamp(nanosecond)"`
		Done   bool      `parquet:"done"`
		State  []float32 `parquet:"state,list"`
		Points []point   `parquet:"points,list"`
		Image  []byte    `parquet:"image"`
	}
	columns := []Field{
		{Name: "index", Type: Int},
		{Name: "when", Type: Timestamp},
		{Name: "done", Type: Bool},
		{Name: "state", Type: Float, List: true},
		{Name: "points", List: true, Fields: []Field{{Name: "x", Type: Double}, {Name: "label", Optional: true}, {Name: "tags", List: true}}},
		{Name: "image", Type: Bytes},
	}
	label := "l"
	var want []row
	var b bytes.Buffer
	w, err := NewWriter(&b, columns)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2500 {
		r := row{Index: int64(i), When: int64(i) * 1e9, Done: i%3 == 0, State: []float32{float32(i), -0.5}[:i%3%2+i%2], Points: []point{}, Image: []byte{byte(i)}}
		if i < 10 {
			r.Image = make([]byte, 1<<20) // groups of fewer rows
		}
		points := []any{}
		if i%4 != 0 {
			r.Points = []point{{X: 1.5, Label: &label, Tags: []string{"a", "b"}}, {X: float64(i), Tags: []string{}}}
			points = []any{[]any{1.5, label, []any{"a", "b"}}, []any{float64(i), nil, []any{}}}
		}
		state := []any{}
		for _, x := range r.State {
			state = append(state, x)
		}
		if err := w.Write([]any{r.Index, r.When, r.Done, state, points, r.Image}); err != nil {
			t.Fatal(err)
		}
		if len(r.State) == 0 {
			r.State = []float32{}
		}
		want = append(want, r)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := pq.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Schema().String(), pq.NewSchema("row", pq.SchemaOf(row{})).String(); got != want {
		t.Errorf("the schema is\n%s\nwant\n%s", got, want)
	}
	if n := len(f.RowGroups()); n < 4 {
		t.Errorf("%d groups", n)
	}
	got, err := pq.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("row %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

// A value that the schema doesn't allow is an error.
func TestWriterRefuses(t *testing.T) {
	columns := []Field{{Name: "a", Type: Int}, {Name: "l", List: true}, {Name: "s", Fields: []Field{{Name: "x", Type: Bool}}}}
	for _, row := range [][]any{
		nil,
		{int64(1), []any{}},
		{"1", []any{}, []any{true}},
		{nil, []any{}, []any{true}},
		{int64(1), "l", []any{true}},
		{int64(1), []any{int64(1)}, []any{true}},
		{int64(1), []any{}, []any{1}},
		{int64(1), []any{}, true},
	} {
		w, err := NewWriter(&bytes.Buffer{}, columns)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(row); err == nil {
			t.Errorf("%v was written", row)
		}
	}
}
