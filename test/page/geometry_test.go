package page

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
)

// lensCase is a pair of cameras, and what camdriver/process computes from their depth.
type lensCase struct {
	Depth, Picture camdriver.Intrinsics
	Extrinsics     camdriver.Extrinsics
	Units          float32
	Data           []uint16
	xyz, uv        []float32
}

// lensCases returns all models of depth and colour, with small images of noise.
func lensCases(t *testing.T) (cases []lensCase) {
	t.Helper()
	const width, height = 24, 16
	rng := rand.New(rand.NewPCG(7, 9))
	models := []camdriver.Distortion{
		camdriver.NoDistortion, camdriver.ModifiedBrownConrady, camdriver.InverseBrownConrady,
		camdriver.Ftheta, camdriver.BrownConrady, camdriver.KannalaBrandt4,
	}
	coeffs := [][5]float64{{}, {-0.0557, 0.0689, 0.00042, -0.00081, -0.0217}}
	for _, model := range models {
		for _, c := range coeffs {
			k := lensCase{Units: 0.001, Data: make([]uint16, width*height)}
			k.Depth = camdriver.Intrinsics{Width: width, Height: height, Fx: 21.3, Fy: 21.7, Ppx: 11.8, Ppy: 8.3, Model: model, Coeffs: c}
			k.Picture = camdriver.Intrinsics{Width: 40, Height: 30, Fx: 31.1, Fy: 31.4, Ppx: 20.3, Ppy: 14.6, Model: model, Coeffs: c}
			k.Extrinsics = camdriver.Extrinsics{
				Rotation:    [9]float64{0.9999, -0.0019, -0.0042, 0.0019, 0.9999, -0.0031, 0.0042, 0.0031, 0.9999},
				Translation: [3]float64{0.0148, 0.0002, 0.0003},
			}
			for i := range k.Data {
				if rng.IntN(5) > 0 {
					k.Data[i] = uint16(300 + rng.IntN(6000))
				}
			}
			k.process(t)
			cases = append(cases, k)
		}
	}
	return cases
}

// process computes the points of the case.
func (k *lensCase) process(t *testing.T) {
	t.Helper()
	identity := camdriver.Identity()
	profile := func(kind camdriver.StreamKind, f camdriver.Format, in camdriver.Intrinsics, e camdriver.Extrinsics) *process.Profile {
		p := camdriver.Profile{Stream: camdriver.StreamID{Kind: kind}, Format: f, Width: in.Width, Height: in.Height, FPS: 30}
		return &process.Profile{Profile: p, Intrinsics: in, Extrinsics: &e}
	}
	depth := profile(camdriver.Depth, camdriver.Z16, k.Depth, identity)
	picture := profile(camdriver.Color, camdriver.RGB8, k.Picture, k.Extrinsics)
	frame := func(p *process.Profile, size int) *camdriver.Frame {
		f := camdriver.NewFrame(nil)
		f.Profile, f.Width, f.Height, f.Stride, f.Data = p.Profile, p.Width, p.Height, size/p.Height, make([]byte, size)
		return f
	}
	d := frame(depth, 2*len(k.Data))
	d.DepthUnits = k.Units
	copy(d.Data, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(k.Data))), 2*len(k.Data)))
	var set process.Set
	defer set.Release()
	set.Add(process.Image{Frame: d, Profile: depth})
	set.Add(process.Image{Frame: frame(picture, 3*k.Picture.Width*k.Picture.Height), Profile: picture})
	res := process.NewResources(1<<20, 1)
	defer res.Close()
	cloud := process.NewPointCloud(res, picture.Stream)
	defer cloud.Reset()
	need.Must(t, cloud.SetOption(camdriver.OptionFilterMagnitude, 1))
	need.Must(t, cloud.Process(&set))
	xyz, uv := process.Points(set.Images[0])
	k.xyz, k.uv = slices.Clone(xyz), slices.Clone(uv)
}

// intrinsicsJSON returns intrinsics in the form that the page gets.
func intrinsicsJSON(in camdriver.Intrinsics) map[string]any {
	return map[string]any{
		"width": in.Width, "height": in.Height, "fx": in.Fx, "fy": in.Fy, "ppx": in.Ppx, "ppy": in.Ppy,
		"model": in.Model.String(), "coeffs": in.Coeffs,
	}
}

// columns returns a rotation column by column.
func columns(r [9]float64) []float64 {
	return []float64{r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	need.Must(t, err)
	return string(text)
}

// TestGeometryIsThePrograms checks that points and their projections into the image equal those of
// camdriver/process, to the last bit, for all lens models.
func TestGeometryIsThePrograms(t *testing.T) {
	p := openModules(t)
	for i, k := range lensCases(t) {
		t.Run(fmt.Sprintf("%s/%d", k.Depth.Model, i%2), func(t *testing.T) {
			input := mustJSON(t, map[string]any{
				"depth": intrinsicsJSON(k.Depth), "picture": intrinsicsJSON(k.Picture), "units": k.Units, "data": k.Data,
				"extrinsics": map[string]any{"rotation": columns(k.Extrinsics.Rotation), "translation": k.Extrinsics.Translation},
			})
			got := eval[struct{ XYZ, UV []float32 }](p.tab, `(() => {
				const i = `+input+`
				const f = Math.fround
				const rays = new m.lens.Rays(i.depth)
				const xyz = m.cloud.points({ width: i.depth.width, height: i.depth.height, data: Uint16Array.from(i.data), units: f(i.units), rays })
				const lens = new m.lens.Lens(i.picture, i.extrinsics), at = [0, 0], uv = []
				for (let k = 0; k < xyz.length; k += 3) {
					if (xyz[k + 2] === 0) at[0] = at[1] = 0
					else lens.see(xyz[k], xyz[k + 1], xyz[k + 2], at)
					uv.push(f(at[0] / i.picture.width), f(at[1] / i.picture.height))
				}
				return { XYZ: Array.from(xyz), UV: uv }
			})()`)
			if j := firstDifference(got.XYZ, k.xyz); j >= 0 {
				t.Errorf("point %d: %v, want %v", j/3, got.XYZ[j/3*3:][:3], k.xyz[j/3*3:][:3])
			}
			if j := firstDifference(got.UV, k.uv); j >= 0 {
				t.Errorf("place of point %d: %v, want %v", j/2, got.UV[j/2*2:][:2], k.uv[j/2*2:][:2])
			}
		})
	}
}

// firstDifference returns the first index at which two lists differ, or -1.
func firstDifference(got, want []float32) int {
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return i
		}
	}
	return -1
}
