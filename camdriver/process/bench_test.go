package process_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/camdriver/sim"
	"rsros/msgs/cloud"
	"rsros/test/need"
	"rsros/test/workload"
)

// scene is a handler that collects sets of the simulated camera.
type scene struct {
	camdriver.NopHandler
	mu    sync.Mutex
	rig   *process.Rig
	depth []*camdriver.Frame
	color []*camdriver.Frame
	done  chan struct{}
}

const sceneSets = 4

func (s *scene) Frame(_ int, f *camdriver.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &s.depth
	if f.Stream().Kind == camdriver.Color {
		list = &s.color
	}
	if len(*list) < sceneSets {
		*list = append(*list, f.Retain())
		if len(s.depth) == sceneSets && len(s.color) == sceneSets {
			close(s.done)
		}
	}
}

// simulated returns pairs of depth of the given size and colour of 1280x720.
func simulated(b *testing.B, width, height int) *scene {
	b.Helper()
	dev, err := sim.Open(sim.Options{Loop: 1e9, StreamMemory: 16 << 20})
	need.Must(b, err)
	defer dev.Close()
	s := &scene{done: make(chan struct{})}
	running := make([][]camdriver.Profile, len(dev.Sensors()))
	for i, sensor := range dev.Sensors() {
		for _, p := range sensor.Profiles() {
			depth := p.Stream.Kind == camdriver.Depth && p.Width == width && p.Height == height
			color := p.Stream.Kind == camdriver.Color && p.Width == 1280 && p.Height == 720 && p.Format == camdriver.RGB8
			if (depth || color) && p.FPS == 30 {
				running[i] = append(running[i], p)
			}
		}
	}
	s.rig = process.NewRig(camdriver.Snapshot(dev, running))
	for i, profiles := range running {
		if len(profiles) > 0 {
			need.Must(b, dev.Sensors()[i].Start(profiles, s))
		}
	}
	<-s.done
	return s
}

func (s *scene) release() {
	for i := range s.depth {
		s.depth[i].Release()
		s.color[i].Release()
	}
}

// set copies pair i to a set.
func (s *scene) set(to *process.Set, i int) {
	to.Add(s.rig.Image(s.depth[i%sceneSets].Retain()))
	to.Add(s.rig.Image(s.color[i%sceneSets].Retain()))
}

// benchCases are chains. Only the last block is measured, unless the name begins with
// "chain".
var benchCases = []string{
	"align_to_color: align to=color", "align_to_depth: align to=depth",
	"cloud_xyz: pointcloud texture=none", "cloud_uv: pointcloud texture=color", "cloud_uv_occlusion: pointcloud texture=color occlusion=1",
	"aligned_cloud_uv: align to=color | pointcloud texture=color occlusion=1",
	"decimation_2: decimation magnitude=2", "decimation_3: decimation magnitude=3", "decimation_4: decimation magnitude=4",
	"decimation_8: decimation magnitude=8", "threshold: threshold",
	"disparity: disparity", "depth: disparity | depth", "spatial: spatial", "spatial_in_disparity: disparity | spatial",
	"spatial_in_disparity_5x_holes: disparity | spatial magnitude=5 holes=5", "temporal: temporal", "temporal_in_disparity: disparity | temporal",
	"hole_filling_0: hole_filling mode=0", "hole_filling_1: hole_filling mode=1", "hole_filling_2: hole_filling mode=2",
	"colorizer_equalized: colorizer", "colorizer_fixed: colorizer preset=1", "rotation_90: rotation angle=90", "rotation_180: rotation angle=180",
	"packed: packed texture=color occlusion=1", "aligned_packed: align to=color | packed texture=none",
	"chain_align_packed: align to=color | packed texture=none",
	"chain_usual: disparity | spatial | temporal | depth | align to=color",
	"chain_usual_cloud: disparity | spatial | temporal | depth | align to=color | pointcloud texture=color occlusion=1",
	"chain_decimated_cloud: decimation magnitude=2 | disparity | spatial | temporal | depth | pointcloud texture=color occlusion=1",
}

// BenchmarkBlocks measures wall time and CPU time per frame of each block on one and two
// processors.
func BenchmarkBlocks(b *testing.B) {
	for _, size := range [][2]int{{1280, 720}, {848, 480}, {640, 480}} {
		var s *scene
		for _, text := range benchCases {
			name, plan, _ := strings.Cut(text, ":")
			for _, processors := range []int{1, 2} {
				b.Run(fmt.Sprintf("%dx%d/%s/%d", size[0], size[1], name, processors), func(b *testing.B) {
					if s == nil {
						s = simulated(b, size[0], size[1])
					}
					benchmark(b, s, plan, processors, strings.HasPrefix(name, "chain"))
				})
			}
		}
		if s != nil {
			s.release()
		}
	}
}

func benchmark(b *testing.B, s *scene, plan string, processors int, all bool) {
	res := process.NewResources(1<<30, processors)
	defer res.Close()
	var chain process.Chain
	for _, step := range strings.Split(plan, "|") {
		chain = append(chain, benchBlock(b, res, step))
	}
	defer chain.Reset()
	before := chain[:len(chain)-1]
	if all {
		before = nil
	}
	var inputs [sceneSets]process.Set
	for i := range inputs {
		s.set(&inputs[i], i)
		need.Must(b, before.Process(&inputs[i]))
	}
	var set process.Set
	once := func(i int) {
		set.Copy(&inputs[i%sceneSets])
		need.Must(b, chain[len(before):].Process(&set))
		set.Release()
	}
	for i := range 3 {
		once(i)
	}
	runtime.GC()
	b.ReportAllocs()
	used := processorTime()
	b.ResetTimer()
	for i := range b.N {
		once(i)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e6/float64(b.N), "ms/frame")
	b.ReportMetric((processorTime()-used)*1e3/float64(b.N), "cpu-ms/frame")
	b.ReportMetric(0, "ns/op")
	for i := range inputs {
		inputs[i].Release()
	}
}

// packing packs the points of a PointCloud message, like node/naming.
type packing struct {
	*process.PointCloud
	packer *cloud.Packer
	sinks  []process.PointSink
	data   []byte
	places bool

	texture cloud.Texture
}

func benchBlock(tb testing.TB, res *process.Resources, text string) process.Block {
	step := parseStep(text)
	if step.Block != "packed" {
		return newBlock(tb, res, step)
	}
	step.Block = "pointcloud"
	p := &packing{PointCloud: newBlock(tb, res, step).(*process.PointCloud), packer: cloud.NewPacker(res.Slots())}
	p.sinks, p.places = []process.PointSink{p.packer}, step.Params["texture"] != "none"
	return p
}

func (p *packing) Process(s *process.Set) error {
	depth, _ := s.First(camdriver.Depth, camdriver.Z16)
	color, _ := s.First(camdriver.Color, camdriver.RGB8)
	f := color.Frame
	p.texture = cloud.Texture{Width: f.Width, Height: f.Height, Step: f.Stride, Pixel: 3, RGB: [3]int{0, 1, 2}, Data: f.Data}
	shape := cloud.Shape{Width: depth.Frame.Width, Height: depth.Frame.Height, Places: p.places, Texture: &p.texture}
	if len(p.data) < shape.Size() {
		p.data = make([]byte, shape.Size())
	}
	if err := p.packer.Start(p.data, shape, cloud.Options{}); err != nil {
		return err
	}
	_, err := p.Each(s, p.places, p.sinks)
	p.packer.Finish()
	return err
}

// processorTime returns the CPU time of this process in seconds.
func processorTime() float64 {
	user, system := workload.CPUTime()
	return user + system
}

// parseStep parses a step such as "spatial alpha=0.3 on=color".
func parseStep(text string) goldenStep {
	words := strings.Fields(text)
	s := goldenStep{Block: words[0], Params: map[string]any{}, Options: map[string]float32{}}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		var number float32
		if _, err := fmt.Sscan(value, &number); err == nil {
			s.Options[key] = number
		} else {
			s.Params[key] = value
		}
	}
	return s
}

// TestNoAllocation checks that chains don't allocate.
func TestNoAllocation(t *testing.T) {
	depth := profile(camdriver.Depth, camdriver.Z16, 64, 48)
	color := profile(camdriver.Color, camdriver.RGB8, 96, 72)
	color.Extrinsics.Translation[0] = 0.015
	for _, text := range benchCases {
		name, plan, _ := strings.Cut(text, ":")
		for _, processors := range []int{1, 2} {
			res := newResources(t, processors)
			var chain process.Chain
			for _, step := range strings.Split(plan, "|") {
				chain = append(chain, benchBlock(t, res, step))
			}
			d, c := image(depth, 1, nil), image(color, 1, nil)
			for i := range d.Frame.Data {
				d.Frame.Data[i] = byte(i % 7)
			}
			var set process.Set
			n := testing.AllocsPerRun(10, func() {
				set.Add(process.Image{Frame: d.Frame.Retain(), Profile: depth})
				set.Add(process.Image{Frame: c.Frame.Retain(), Profile: color})
				need.Must(t, chain.Process(&set))
				set.Release()
			})
			if n != 0 {
				t.Errorf("%s on %d processors: %g allocations per frame", name, processors, n)
			}
			chain.Reset()
		}
	}
}
