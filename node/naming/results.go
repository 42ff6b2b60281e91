package naming

import (
	"fmt"
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/msgs/cloud"
)

type results struct {
	options *WrapperOptions
	pool    *camdriver.Pool
	aligned *streamSinks        // nil without align_depth
	clouds  []*cloudTopic       // depth/color/points and depth_registered/points
	frameID string              // of the points
	sinks   []process.PointSink // the packers of the current set's clouds
	colours cloud.Texture       // their texture
}

// cloudTopic is a topic of points.
type cloudTopic struct {
	sink
	numbers
	options cloud.Options
	packer  *cloud.Packer
	buffer  *camdriver.Buffer // of the current set's cloud; nil without
}

const cloudType = "sensor_msgs/PointCloud2"

// newResults opens the topics. slots is the number of goroutines of the blocks.
func newResults(l *layout, snap camdriver.DeviceSnapshot, slots int, open openSink) (*results, error) {
	o := &l.options
	r := &results{options: o, pool: l.pool, frameID: o.opticalFrame(camdriver.DepthStream)}
	var err error
	if o.align() {
		r.frameID = o.opticalFrame(camdriver.ColorStream)
		if r.aligned, err = l.newStreamSinks(l.alignedDepth(snap), open); err != nil {
			return nil, err
		}
	}
	add := func(topic string, options cloud.Options) error {
		to, err := open(o.Camera+topic, cloudType, nil)
		r.clouds = append(r.clouds,
			&cloudTopic{sink: to, numbers: numbers{ofFrames: l.numbered}, options: options, packer: cloud.NewPacker(slots)})
		return err
	}
	if o.PointCloud || o.has(filterPointCloud) {
		if err := add("/depth/color/points",
			cloud.Options{Ordered: o.OrderedCloud, AllowNoTexture: o.AllowNoTexture}); err != nil {
			return nil, err
		}
	}
	if o.RGBD {
		err = add("/depth_registered/points", cloud.Options{Ordered: true, AllowNoTexture: true})
	}
	return r, err
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

func (r *results) wanted() bool { return r.aligned != nil && r.aligned.wanted() || r.wantsCloud() }

func (r *results) wantsCloud() bool {
	return slices.ContainsFunc(r.clouds, func(c *cloudTopic) bool { return c.Wanted() })
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
	for _, c := range r.clouds {
		if err == nil && c.Wanted() {
			err = r.start(c, shape)
		}
	}
	if err != nil || len(r.sinks) == 0 {
		return err
	}
	if _, err := block.Each(set, shape.Places, r.sinks); err != nil {
		return err
	}
	for _, c := range r.clouds {
		c.send(stamp, r.frameID, number)
	}
	return nil
}

// start prepares a topic's cloud, unless memory is exhausted.
func (r *results) start(c *cloudTopic, shape cloud.Shape) error {
	if err := shape.Check(); err != nil {
		return err
	}
	if c.buffer = r.pool.Get(shape.Size()); c.buffer == nil {
		return nil // subscribers are too slow
	}
	if err := c.packer.Start(c.buffer.Bytes, shape, c.options); err != nil {
		return err
	}
	r.sinks = append(r.sinks, c.packer)
	return nil
}

// send publishes the points, if there are any. frame is the number of the depth frame.
func (c *cloudTopic) send(stamp msgs.Time, frameID string, frame uint64) {
	if c.buffer == nil {
		return
	}
	head, data := c.packer.Finish()
	head.Header = msgs.Header{Seq: c.next(frame), Stamp: stamp, FrameID: frameID}
	var e msgs.Encoder
	e.Message(&head)
	dense := byte(1)
	if c.options.Ordered {
		dense = 0
	}
	c.Publish(msgs.Raw{Head: e.B, Body: data, Tail: []byte{dense}, Owner: c.buffer})
	c.buffer = nil
}

func (r *results) abandon() {
	r.sinks, r.colours = r.sinks[:0], cloud.Texture{}
	for _, c := range r.clouds {
		if c.buffer != nil {
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
		return false, fmt.Errorf("colour points by %s: its pixels are %s, want RGB8, BGR8, RGBA8, BGRA8 or Y8",
			found.Stream(), found.Profile.Format)
	}
	to.Texture = t
	return true, nil
}
