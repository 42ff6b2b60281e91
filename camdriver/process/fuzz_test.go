package process_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/process"
)

// allBlocks returns one block of each type.
func allBlocks(res *process.Resources) []process.Block {
	blocks := []process.Block{process.NewRotation(res, camdriver.Depth, camdriver.Color), process.NewPointCloud(res, camdriver.StreamID{})}
	for _, name := range process.BlockNames() {
		blocks = append(blocks, process.New(res, name))
	}
	return blocks
}

// script reads numbers from a fuzzer's bytes; 0 at the end.
type script []byte

func (s *script) byte() byte {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return b
}

func (s *script) float() float64 {
	var b [4]byte
	for i := range b {
		b[i] = s.byte()
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[:])))
}

// number returns usual in most cases.
func (s *script) number(usual float64) float64 {
	if s.byte()%4 != 0 {
		return usual
	}
	return s.float()
}

func (s *script) profile(kind camdriver.StreamKind, format camdriver.Format) *process.Profile {
	p := profile(kind, format, 1+int(s.byte()%40), 1+int(s.byte()%30))
	in := &p.Intrinsics
	in.Fx, in.Fy, in.Ppx, in.Ppy = s.number(in.Fx), s.number(in.Fy), s.number(in.Ppx), s.number(in.Ppy)
	in.Model = camdriver.Distortion(s.byte() % 6)
	for i := range in.Coeffs {
		in.Coeffs[i] = s.number(0)
	}
	for i := range p.Extrinsics.Rotation {
		p.Extrinsics.Rotation[i] = s.number(p.Extrinsics.Rotation[i])
	}
	for i := range p.Extrinsics.Translation {
		p.Extrinsics.Translation[i] = s.number(0.01)
	}
	p.Baseline = float32(s.number(50))
	return p
}

func (s *script) image(p *process.Profile, number uint64) process.Image {
	img := image(p, number, nil)
	f := img.Frame
	f.DepthUnits = float32(s.number(0.001))
	if extra := int(s.byte() % 8); extra > 4 { // rows with padding
		f.Stride += extra
		f.Data = make([]byte, f.Stride*f.Height)
	}
	f.Metadata = []camdriver.MetadataValue{
		{Key: camdriver.MetaFrameCounter, Value: int64(number)},
		{Key: camdriver.MetaSequenceId, Value: int64(s.byte()%4) - 1}, {Key: camdriver.MetaSequenceSize, Value: int64(s.byte() % 3)},
	}
	for i := range f.Data {
		f.Data[i] = s.byte()
	}
	switch s.byte() {
	case 1:
		f.Width += int(s.byte())
	case 2:
		f.Height -= int(s.byte())
	case 3:
		f.Data = f.Data[:len(f.Data)/2]
	case 4:
		f.Stride = -f.Stride
	case 5:
		f.Width, f.Height = math.MaxInt32, math.MaxInt32
	}
	return img
}

// FuzzBlocks processes frames of arbitrary, also inconsistent, geometry in every block and
// checks for leaks.
func FuzzBlocks(f *testing.F) {
	for i := range 40 {
		seed := make([]byte, 3000)
		for k := range seed {
			seed[k] = byte(k*k*(i+3) + k>>3*i)
		}
		f.Add(byte(i), seed)
	}
	f.Fuzz(func(t *testing.T, which byte, bytes []byte) {
		res := process.NewResources(64<<20, 1+int(which>>7))
		s := script(bytes)
		disparity := process.NewDisparity(res)
		blocks := allBlocks(res)
		b := blocks[int(which&127)%len(blocks)]
		for _, o := range b.Options() {
			_ = b.SetOption(o.ID, o.Min+float32(s.byte()%8)*o.Step) // some are out of range
		}
		depth := s.profile(camdriver.Depth, camdriver.Z16)
		color := s.profile(camdriver.Color, camdriver.RGB8)
		infrared := s.profile(camdriver.Infrared, camdriver.Y8)
		if which&1 != 0 {
			infrared = profile(camdriver.Infrared, camdriver.Y8, depth.Width, depth.Height)
		}
		for number := range uint64(3) {
			var set process.Set
			set.Add(s.image(depth, number))
			set.Add(s.image(color, number))
			set.Add(s.image(infrared, number))
			if which&64 != 0 {
				_ = disparity.Process(&set)
			}
			if err := b.Process(&set); err != nil && !errors.Is(err, process.ErrBadFrame) && !errors.Is(err, process.ErrNoBuffer) &&
				!errors.Is(err, camdriver.ErrUnsupported) {
				t.Errorf("%s: %v", b.Name(), err)
			}
			if len(set.Images) < 2 {
				t.Errorf("%s: %d of 3 images remain", b.Name(), len(set.Images))
			}
			set.Release()
		}
		b.Reset()
		res.Close()
		if n := res.InUse(); n != 0 {
			t.Errorf("%s: %d bytes in use after Reset", b.Name(), n)
		}
	})
}
