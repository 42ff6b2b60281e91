package naming

import (
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/msgs/cloud"
)

type results struct {
	options *WrapperOptions
	pool    *camdriver.Pool
	aligned *outlets            // nil without align_depth
	points  *cloudTopic         // depth/color/points; nil without
	ordered *cloudTopic         // depth_registered/points; nil without
	frameID string              // of the points
	clouds  [2]outgoing         // of the current set
	sinks   []process.PointSink // their packers
	colours cloud.Texture       // their texture
}

const cloudType = "sensor_msgs/PointCloud2"

// newResults opens the topics. slots is the number of goroutines of the blocks.
func newResults(l *layout, snap camdriver.DeviceSnapshot, slots int, open openOutlet) (*results, error) {
	o := &l.options
	r := &results{options: o, pool: l.pool, frameID: o.opticalFrame(camdriver.DepthStream)}
	for i := range r.clouds {
		r.clouds[i].packer = cloud.NewPacker(slots)
	}
	var err error
	if o.align() {
		r.frameID = o.opticalFrame(camdriver.ColorStream)
		if r.aligned, err = newOutlets(l.alignedDepth(snap), open); err != nil {
			return nil, err
		}
	}
	if o.PointCloud || o.has(filterPointCloud) {
		if r.points, err = openCloud(o.Camera+"/depth/color/points", open); err != nil {
			return nil, err
		}
	}
	if o.RGBD {
		r.ordered, err = openCloud(o.Camera+"/depth_registered/points", open)
	}
	return r, err
}

// cloudTopic is a topic of points. It counts its messages like roscpp: with the frames'
// numbers, a skipped set would look like a lost message.
type cloudTopic struct {
	outlet
	numbered bool // messages have the numbers of their frames; otherwise they are counted
	seq      uint32
}

// next returns the number of the next message, given its frame's.
func (c *cloudTopic) next(frame uint64) uint32 {
	if c.numbered {
		return uint32(frame)
	}
	c.seq++
	return c.seq - 1
}

func openCloud(topic string, open openOutlet) (*cloudTopic, error) {
	to, err := open(topic, cloudType, nil)
	return &cloudTopic{outlet: to}, err
}

func (l *layout) alignedDepth(snap camdriver.DeviceSnapshot) *stream {
	prefix := l.camera + "/aligned_depth_to_color/"
	colour := camdriver.StreamSnapshot{}
	for _, s := range snap.Streams {
		if s.Profile.Stream.Kind == camdriver.Color {
			colour = s
		}
	}
	return &stream{
		frameID: l.options.opticalFrame(camdriver.ColorStream), format: l.depthFormat(), depth: true,
		topics: []streamTopic{
			{prefix + "camera_info", cameraInfoType, cameraInfoEncoder(colour)},
			{prefix + "image_raw", imageType, l.encodeImage},
		},
	}
}

func (l *layout) depthFormat() camdriver.Format {
	if l.options.has(filterColorizer) {
		return camdriver.RGB8
	}
	return camdriver.Z16
}

func (r *results) wanted() bool {
	return r.aligned != nil && r.aligned.wanted() || r.wantsCloud()
}

func (r *results) wantsCloud() bool {
	return r.points != nil && r.points.wanted() || r.ordered != nil && r.ordered.wanted()
}

func (r *results) publishCloud(block *process.PointCloud, set *process.Set, stamp msgs.Time) error {
	if block == nil || !r.wantsCloud() {
		return nil
	}
	shape := cloud.Shape{}
	textured, err := r.texture(set, &shape)
	if !textured && (err != nil || !r.options.AllowNoTexture) {
		return err // no cloud without colours
	}
	depth, ok := set.First(camdriver.Depth, camdriver.Z16)
	if !ok {
		return nil
	}
	number := depth.Frame.Number
	shape.Width, shape.Height = depth.Frame.Width, depth.Frame.Height
	shape.Places = shape.Texture != nil && !r.ownColours()
	defer r.abandon() // the texture, too, is valid for this set only
	if r.points != nil && r.points.wanted() {
		err = r.start(r.points, shape, cloud.Options{Ordered: r.options.OrderedCloud, AllowNoTexture: r.options.AllowNoTexture})
	}
	if err == nil && r.ordered != nil && r.ordered.wanted() {
		err = r.start(r.ordered, shape, cloud.Options{Ordered: true, AllowNoTexture: true})
	}
	if err != nil || len(r.sinks) == 0 {
		return err
	}
	if _, err := block.Each(set, shape.Places, r.sinks); err != nil {
		return err
	}
	for i := range r.clouds {
		r.clouds[i].send(msgs.Header{Stamp: stamp, FrameID: r.frameID}, number)
	}
	return nil
}

type outgoing struct {
	to     *cloudTopic
	packer *cloud.Packer
	dense  bool
	buffer *camdriver.Buffer // nil without a cloud
}

// start prepares a cloud for a topic, unless memory is exhausted.
func (r *results) start(to *cloudTopic, shape cloud.Shape, o cloud.Options) error {
	if err := shape.Check(); err != nil {
		return err
	}
	buffer := r.pool.Get(shape.Size())
	if buffer == nil {
		return nil // subscribers are too slow
	}
	c := &r.clouds[len(r.sinks)]
	c.to, c.dense, c.buffer = to, !o.Ordered, buffer
	if err := c.packer.Start(buffer.Bytes, shape, o); err != nil {
		return err
	}
	r.sinks = append(r.sinks, c.packer)
	return nil
}

// numberAsFrames makes messages have their frame's number instead of counting them.
func (r *results) numberAsFrames() {
	if r.aligned != nil {
		r.aligned.numbered = true
	}
	for _, c := range []*cloudTopic{r.points, r.ordered} {
		if c != nil {
			c.numbered = true
		}
	}
}

// send publishes the points, if there are any. frame is the number of the depth frame.
func (c *outgoing) send(h msgs.Header, frame uint64) {
	if c.buffer == nil {
		return
	}
	head, data := c.packer.Finish()
	h.Seq = c.to.next(frame)
	head.Header = h
	var e msgs.Encoder
	e.Message(&head)
	dense := byte(0)
	if c.dense {
		dense = 1
	}
	c.to.publish(msgs.Raw{Head: e.B, Body: data, Tail: []byte{dense}, Owner: c.buffer})
	c.buffer = nil
}

func (r *results) abandon() {
	r.sinks, r.colours = r.sinks[:0], cloud.Texture{}
	for i := range r.clouds {
		if c := &r.clouds[i]; c.buffer != nil {
			c.buffer.Release()
			c.buffer = nil
		}
	}
}

// ownColours reports whether a point has the colour of the same pixel.
func (r *results) ownColours() bool {
	return r.options.align() && r.options.Texture.Kind == camdriver.Color
}

// texture sets the image of the points' colours. It is false if the set doesn't have it.
func (r *results) texture(set *process.Set, to *cloud.Shape) (bool, error) {
	want := r.options.Texture
	if want.Kind == camdriver.AnyStream {
		return true, nil
	}
	var found *camdriver.Frame
	for _, img := range set.Images {
		if id := img.Frame.Stream(); id.Kind == want.Kind && (found == nil || id.Index == want.Index) {
			found = img.Frame
		}
	}
	if found == nil {
		return false, nil
	}
	t := &r.colours
	*t = cloud.Texture{Width: found.Width, Height: found.Height, Step: found.Stride, Data: found.Data}
	t.Pixel = found.Profile.Format.BitsPerPixel() / 8
	switch found.Profile.Format {
	case camdriver.RGB8, camdriver.RGBA8:
		t.RGB = [3]int{0, 1, 2}
	case camdriver.BGR8, camdriver.BGRA8:
		t.RGB = [3]int{2, 1, 0}
	case camdriver.Y8, camdriver.RAW8:
		t.Gray = true
	default:
		return false, fmt.Errorf("colour points by %s: its pixels are %s, want RGB8, BGR8, RGBA8, BGRA8 or Y8", found.Stream(), found.Profile.Format)
	}
	to.Texture = t
	return true, nil
}
