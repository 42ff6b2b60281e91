package process_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"testing"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
)

// manifest describes a bag and the output of librealsense's blocks: part, size and hash of
// each image.
type manifest struct {
	Baseline float32                 `json:"stereo_baseline_mm"`
	Streams  map[string]goldenStream `json:"streams"`
	Cases    []goldenCase            `json:"cases"`
}

type goldenStream struct {
	FPS         int
	Intrinsics  goldenIntrinsics
	DepthToThis struct{ Rotation, Translation []float32 } `json:"depth_to_this"`
}

type goldenIntrinsics struct {
	Width  int        `json:"width"`
	Height int        `json:"height"`
	Ppx    float32    `json:"ppx"`
	Ppy    float32    `json:"ppy"`
	Fx     float32    `json:"fx"`
	Fy     float32    `json:"fy"`
	Model  string     `json:"model"`
	Coeffs [5]float32 `json:"coeffs"`
}

type goldenCase struct {
	Case    string         `json:"case"`
	Steps   []goldenStep   `json:"steps"`
	Outputs []goldenOutput `json:"outputs"`
}

type goldenStep struct {
	Block   string             `json:"block"`
	Params  map[string]any     `json:"params"`
	Options map[string]float32 `json:"options"`
}

type goldenOutput struct {
	Index      int              `json:"index"`
	Part       string           `json:"part"`
	Frame      uint64           `json:"frame"`
	Stream     string           `json:"stream"`
	Format     string           `json:"format"`
	Type       string           `json:"type"`
	Width      int              `json:"width"`
	Height     int              `json:"height"`
	Channels   int              `json:"channels"`
	Bytes      int              `json:"bytes"`
	Hash       string           `json:"fnv1a64"`
	Timestamp  float64          `json:"ts"`
	FPS        int              `json:"fps"`
	Units      float32          `json:"units,omitempty"`
	Intrinsics goldenIntrinsics `json:"intrinsics"`
}

// TestGolden compares every case with the output of librealsense.
func TestGolden(t *testing.T) {
	t.Run("unpleasant", func(t *testing.T) {
		compareAll(t, "testdata/unpleasant.bag", "testdata/unpleasant.json")
	})
	t.Run("sim_424", func(t *testing.T) {
		compareAll(t, need.Bag(t, "processing/sim_424.bag"), need.Bag(t, "processing/sim_424/manifest.json"))
	})
}

func compareAll(t *testing.T, bag, path string) {
	m := readManifest(t, path)
	pairs := readPairs(t, bag, m)
	for _, processors := range []int{1, 3} {
		res := process.NewResources(256<<20, processors)
		for _, c := range m.Cases {
			if c.Case == "units" {
				continue // there is no such block here
			}
			t.Run(fmt.Sprintf("%s/%d", c.Case, processors), func(t *testing.T) {
				got := run(t, res, c, pairs)
				for _, want := range c.Outputs {
					compare(t, got, want)
				}
			})
		}
		if n := res.InUse(); n != 0 {
			t.Errorf("%d bytes of frames were not released", n)
		}
		res.Close()
	}
	for _, p := range pairs {
		p.Release()
	}
}

func compare(t *testing.T, got []goldenOutput, want goldenOutput) {
	t.Helper()
	i := slices.IndexFunc(got, func(g goldenOutput) bool { return g.Index == want.Index && g.Part == want.Part })
	if i < 0 {
		t.Errorf("pair %d: no %s", want.Index, want.Part)
		return
	}
	g := got[i]
	if g.Hash != want.Hash || g.Bytes != want.Bytes {
		t.Errorf("pair %d: %s has %d bytes with hash %s, want %d with %s", want.Index, want.Part, g.Bytes, g.Hash, want.Bytes, want.Hash)
	}
	g.Bytes, g.Hash = want.Bytes, want.Hash
	if math.Abs(g.Timestamp-want.Timestamp) < 0.002 {
		g.Timestamp = want.Timestamp
	}
	if fmt.Sprint(g) != fmt.Sprint(want) {
		t.Errorf("pair %d:\n got %+v\nwant %+v", want.Index, g, want)
	}
}

func readManifest(t *testing.T, path string) *manifest {
	t.Helper()
	text, err := os.ReadFile(path)
	need.Must(t, err)
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

// readPairs reads the depth frames of a bag, each with the nearest frames of the other
// video streams, in the order depth, colour, infrared.
func readPairs(t *testing.T, path string, m *manifest) []*process.Set {
	t.Helper()
	file, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	defer file.Close()
	rig := rigOf(m, file.Snapshot())
	cursor := file.Cursor(rsbag.CursorOptions{})
	defer cursor.Close()
	frames := map[camdriver.StreamID][]*camdriver.Frame{}
	for {
		e, ok := cursor.Next()
		if !ok {
			break
		}
		if e.Frame != nil && e.Frame.Stream().Kind.Video() {
			frames[e.Frame.Stream()] = append(frames[e.Frame.Stream()], e.Frame.Retain())
		}
	}
	var pairs []*process.Set
	depths := frames[camdriver.DepthStream]
	slices.SortFunc(depths, func(a, b *camdriver.Frame) int { return int(a.Number) - int(b.Number) })
	for _, d := range depths {
		set := &process.Set{}
		set.Add(rig.Image(d.Retain()))
		for _, id := range []camdriver.StreamID{camdriver.ColorStream, camdriver.LeftStream, camdriver.RightStream} {
			if f := nearest(frames[id], d.Timestamp); f != nil {
				set.Add(rig.Image(f.Retain()))
			}
		}
		pairs = append(pairs, set)
	}
	for _, list := range frames {
		for _, f := range list {
			f.Release()
		}
	}
	return pairs
}

func nearest(list []*camdriver.Frame, at float64) *camdriver.Frame {
	var best *camdriver.Frame
	for _, f := range list {
		if best == nil || math.Abs(f.Timestamp-at) < math.Abs(best.Timestamp-at) {
			best = f
		}
	}
	return best
}

// rigOf uses the calibration of the manifest, because librealsense composes extrinsics in
// float32.
func rigOf(m *manifest, snap camdriver.DeviceSnapshot) *process.Rig {
	for i := range snap.Streams {
		s := &snap.Streams[i]
		g, ok := m.Streams[s.Profile.Stream.String()]
		if !ok {
			continue
		}
		in := g.Intrinsics
		model, _ := camdriver.ParseDistortion(in.Model)
		s.Video = &camdriver.Intrinsics{
			Width: in.Width, Height: in.Height, Fx: float64(in.Fx), Fy: float64(in.Fy), Ppx: float64(in.Ppx), Ppy: float64(in.Ppy), Model: model,
		}
		for k, c := range in.Coeffs {
			s.Video.Coeffs[k] = float64(c)
		}
		e := camdriver.Extrinsics{}
		for row := range 3 {
			for column := range 3 {
				e.Rotation[3*row+column] = float64(g.DepthToThis.Rotation[3*column+row])
			}
			e.Translation[row] = float64(g.DepthToThis.Translation[row])
		}
		s.Extrinsic = &e
	}
	for i := range snap.Sensors {
		if !slices.ContainsFunc(snap.Sensors[i].Options, func(o camdriver.Option) bool { return o.ID == camdriver.OptionStereoBaseline }) {
			snap.Sensors[i].Options = append(snap.Sensors[i].Options, camdriver.Option{ID: camdriver.OptionStereoBaseline})
		}
		for k := range snap.Sensors[i].Options {
			if o := &snap.Sensors[i].Options[k]; o.ID == camdriver.OptionStereoBaseline {
				o.Value = m.Baseline
			}
		}
	}
	return process.NewRig(snap)
}

// run processes the pairs of a case with a new chain.
func run(t *testing.T, res *process.Resources, c goldenCase, pairs []*process.Set) []goldenOutput {
	t.Helper()
	var chain process.Chain
	for _, s := range c.Steps {
		b := newBlock(t, res, s)
		if cloud, ok := b.(*process.PointCloud); ok {
			b = checkedCloud{cloud, t, res.Slots()}
		}
		chain = append(chain, b)
	}
	defer chain.Reset()
	last := c.Steps[len(c.Steps)-1]
	var out []goldenOutput
	first, end := len(pairs), 0
	for _, o := range c.Outputs {
		first, end = min(first, o.Index), max(end, o.Index+1)
	}
	for i := first; i < end && i < len(pairs); i++ {
		var set process.Set
		set.Copy(pairs[i])
		if err := chain.Process(&set); err != nil {
			t.Fatalf("pair %d: %v", i, err)
		}
		out = append(out, outputs(last, i, &set)...)
		set.Release()
	}
	return out
}

// goldenOptions are the manifest's names of options, ordered so that setting one doesn't
// change an earlier one.
var goldenOptions = map[string][]struct {
	name string
	id   camdriver.OptionID
}{
	"decimation":   {{"magnitude", camdriver.OptionFilterMagnitude}},
	"threshold":    {{"min", camdriver.OptionMinDistance}, {"max", camdriver.OptionMaxDistance}},
	"spatial":      {{"alpha", camdriver.OptionFilterSmoothAlpha}, {"delta", camdriver.OptionFilterSmoothDelta}, {"magnitude", camdriver.OptionFilterMagnitude}, {"holes", camdriver.OptionHolesFill}},
	"temporal":     {{"alpha", camdriver.OptionFilterSmoothAlpha}, {"delta", camdriver.OptionFilterSmoothDelta}, {"persistence", camdriver.OptionHolesFill}},
	"hole_filling": {{"mode", camdriver.OptionHolesFill}},
	"colorizer": {{"preset", camdriver.OptionVisualPreset}, {"scheme", camdriver.OptionColorScheme}, {"min", camdriver.OptionMinDistance},
		{"max", camdriver.OptionMaxDistance}, {"equalize", camdriver.OptionHistogramEqualizationEnabled}},
	"rotation":    {{"angle", camdriver.OptionRotation}},
	"sequence_id": {{"id", camdriver.OptionSequenceId}},
}

func newBlock(t testing.TB, res *process.Resources, s goldenStep) process.Block {
	t.Helper()
	word := func(key, otherwise string) string {
		if v, ok := s.Params[key].(string); ok {
			return v
		}
		return otherwise
	}
	var b process.Block
	switch s.Block {
	case "align":
		b = process.NewAlign(res, kindOf(word("to", "color")))
	case "pointcloud":
		id := camdriver.StreamID{Kind: kindOf(word("texture", "color"))}
		if id.Kind == camdriver.Infrared {
			id.Index = 1
		}
		b = process.NewPointCloud(res, id)
		set(t, b, camdriver.OptionFilterMagnitude, 1+s.Options["occlusion"])
	case "decimation":
		b = process.NewDecimation(res)
		if on := word("on", "depth"); on != "depth" {
			set(t, b, camdriver.OptionStreamFilter, float32(kindOf(on)))
			set(t, b, camdriver.OptionStreamFormatFilter, 0)
		}
	case "rotation":
		b = process.NewRotation(res, kindOf(word("on", "depth")))
	default:
		name := cmp.Or(map[string]string{"disparity": "disparity_start", "depth": "disparity_end", "sequence_id": "sequence_id_filter"}[s.Block], s.Block)
		b = process.New(res, name)
	}
	for _, o := range goldenOptions[s.Block] {
		if v, ok := s.Options[o.name]; ok {
			set(t, b, o.id, v)
		}
	}
	return b
}

func set(t testing.TB, b process.Block, id camdriver.OptionID, v float32) {
	t.Helper()
	need.Must(t, b.SetOption(id, v))
}

func kindOf(word string) camdriver.StreamKind {
	return map[string]camdriver.StreamKind{"color": camdriver.Color, "depth": camdriver.Depth, "infrared": camdriver.Infrared}[word]
}

// outputs returns the results of the last block.
func outputs(last goldenStep, index int, set *process.Set) []goldenOutput {
	var out []goldenOutput
	pick := func(part string, kind camdriver.StreamKind, format camdriver.Format) {
		for _, img := range set.Images {
			p := img.Frame.Profile
			if p.Stream.Kind != kind || p.Format == camdriver.XYZ32F || format != camdriver.AnyFormat && p.Format != format {
				continue
			}
			name := part
			if kind == camdriver.Infrared {
				name += fmt.Sprint(p.Stream.Index)
			}
			out = append(out, describe(index, name, img))
			if kind != camdriver.Infrared {
				return
			}
		}
	}
	_, disparity := set.First(camdriver.Depth, camdriver.Disparity32)
	on, _ := last.Params["on"].(string)
	switch {
	case last.Block == "pointcloud":
		img, _ := set.First(camdriver.Depth, camdriver.XYZ32F)
		n := img.Frame.Width * img.Frame.Height
		xyz := describe(index, "xyz", img)
		xyz.put(img.Frame.Data[:12*n], "float32", 3)
		out = append(out, xyz)
		if last.Params["texture"] != "none" {
			uv := describe(index, "uv", img)
			uv.put(img.Frame.Data[12*n:], "float32", 2)
			out = append(out, uv)
		}
	case last.Block == "align" && last.Params["to"] == "depth":
		pick("color", camdriver.Color, camdriver.AnyFormat)
		pick("infrared", camdriver.Infrared, camdriver.AnyFormat)
	case last.Block == "colorizer":
		pick("rgb", camdriver.Depth, camdriver.RGB8)
	case on != "" && on != "depth":
		pick(on, kindOf(on), camdriver.AnyFormat)
	case disparity:
		pick("disparity", camdriver.Depth, camdriver.Disparity32)
	default:
		pick("depth", camdriver.Depth, camdriver.AnyFormat)
	}
	return out
}

func describe(index int, part string, img process.Image) goldenOutput {
	f, in := img.Frame, img.Profile.Intrinsics
	o := goldenOutput{
		Index: index, Part: part, Frame: f.Number, Stream: f.Stream().String(), Format: f.Profile.Format.String(),
		Width: f.Width, Height: f.Height, Timestamp: f.Timestamp, FPS: f.Profile.FPS,
		Intrinsics: goldenIntrinsics{
			Width: in.Width, Height: in.Height, Fx: float32(in.Fx), Fy: float32(in.Fy), Ppx: float32(in.Ppx), Ppy: float32(in.Ppy), Model: in.Model.String(),
		},
	}
	for k, c := range in.Coeffs {
		o.Intrinsics.Coeffs[k] = float32(c)
	}
	size := f.Profile.Format.BitsPerPixel() / 8
	var data []byte
	for y := range f.Height {
		data = append(data, f.Data[y*f.Stride:][:f.Width*size]...)
	}
	switch f.Profile.Format {
	case camdriver.Z16, camdriver.Y16:
		o.put(data, "uint16", 1)
	case camdriver.Disparity32:
		o.put(data, "float32", 1)
	default:
		o.put(data, "uint8", size)
	}
	if f.Stream().Kind == camdriver.Depth && f.Profile.Format != camdriver.RGB8 && f.Profile.Format != camdriver.XYZ32F {
		o.Units = f.DepthUnits
	}
	return o
}

func (o *goldenOutput) put(data []byte, kind string, channels int) {
	h := fnv.New64a()
	h.Write(data)
	o.Bytes, o.Type, o.Channels = len(data), kind, channels
	o.Hash = fmt.Sprintf("%016x", h.Sum64())
}
