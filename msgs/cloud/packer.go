package cloud

import (
	"fmt"
	"sync"

	"rsros/msgs"
)

// Packer packs clouds while their points are computed, in bands of rows by several
// goroutines. It implements process.PointSink.
//
// In a dense cloud, the offset of a band is known when all bands before it are packed. Until
// then, it is packed in memory of its slot.
type Packer struct {
	shape   Shape
	options Options
	size    int // bytes per point
	data    []byte
	slots   []slot

	mu   sync.Mutex
	turn sync.Cond
	next int // first row of the next band to place
	at   int // offset of its points
}

// slot is the state of one goroutine.
type slot struct {
	writer
	from, to int
	waits    bool // the band is packed in memory
	memory   []byte
}

// NewPacker returns a packer for the given number of goroutines.
func NewPacker(slots int) *Packer {
	k := &Packer{slots: make([]slot, slots)}
	k.turn.L = &k.mu
	return k
}

// Start starts a cloud in data, which must have Size bytes and is borrowed until Finish.
func (k *Packer) Start(data []byte, s Shape, o Options) error {
	if err := s.Check(); err != nil {
		return err
	}
	if len(data) < s.Size() {
		return fmt.Errorf("pack cloud: buffer has %d bytes, %dx%d points need %d", len(data), s.Width, s.Height, s.Size())
	}
	k.shape, k.options, k.size, k.data = s, o, s.step(), data
	k.next, k.at = 0, 0
	return nil
}

// Size returns the maximum size of the points in bytes.
func (s *Shape) Size() int { return s.Width * s.Height * s.step() }

func (s *Shape) step() int {
	if s.Texture == nil {
		return stepBare
	}
	return step
}

// Begin announces the rows [from, to). Bands must be started in order.
func (k *Packer) Begin(number, from, to int) {
	s := &k.slots[number]
	band := (to - from) * k.shape.Width * k.size
	s.from, s.to = from, to
	s.writer = writer{shape: &k.shape, options: k.options, size: k.size, places: s.places}
	if k.options.Ordered {
		s.writer.to = k.data[from*k.shape.Width*k.size:][:band]
		return
	}
	k.mu.Lock()
	s.waits = k.next != from
	at := k.at
	k.mu.Unlock()
	if !s.waits {
		s.writer.to = k.data[at:][:band]
		return
	}
	if len(s.memory) < band {
		s.memory = make([]byte, band)
	}
	s.writer.to = s.memory[:band]
}

// Row packs the points of a row: x, y, z in metres, with z = 0 if missing, and u, v as
// fractions of the texture's width and height.
func (k *Packer) Row(number, y int, xyz, uv []float32) { k.slots[number].row(y, xyz, uv) }

// End completes the slot's rows. It waits for the bands before them.
func (k *Packer) End(number int) {
	s := &k.slots[number]
	if k.options.Ordered {
		return
	}
	packed := s.writer.to[:s.writer.at]
	k.mu.Lock()
	for k.next != s.from {
		k.turn.Wait()
	}
	at := k.at
	k.at, k.next = at+len(packed), s.to
	k.turn.Broadcast()
	k.mu.Unlock()
	if s.waits {
		copy(k.data[at:], packed)
	}
}

// Finish returns the message's head without its Header, and the points, after all rows are packed.
func (k *Packer) Finish() (head msgs.PointCloudHead, data []byte) {
	s := &k.shape
	head.Fields = bareFields
	if t := s.Texture; t != nil {
		head.Fields = colourFields
		if t.Gray {
			head.Fields = brightFields
		}
	}
	head.Width, head.Height = uint32(k.at/k.size), 1
	if k.options.Ordered {
		head.Width, head.Height = uint32(s.Width), uint32(s.Height)
	}
	head.PointStep = uint32(k.size)
	head.RowStep = head.Width * head.PointStep
	head.DataLen = head.RowStep * head.Height
	data = k.data[:head.DataLen]
	k.shape, k.data = Shape{}, nil
	return head, data
}

// The fields of clouds. They must not be modified.
var (
	bareFields   = []msgs.PointField{float("x", 0), float("y", 4), float("z", 8)}
	colourFields = append(bareFields[:3:3], float("rgb", colourOffset))
	brightFields = append(bareFields[:3:3], float("intensity", colourOffset))
)
