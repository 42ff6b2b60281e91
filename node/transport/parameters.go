package transport

import (
	"sync/atomic"

	"rsros/msgs/imagetransport"
	"rsros/node/graph"
)

// compressed is compressed_image_transport's publisher with its parameters. Those of
// JPEG that only change how a file is laid out (progressive, optimize, restart
// interval) aren't offered.
type compressed struct {
	encoder  imagetransport.Encoder
	defaults imagetransport.Options
	options  atomic.Pointer[imagetransport.Options]
}

func newCompressed(encoding string) *compressed {
	return &compressed{defaults: imagetransport.DefaultOptions(encoding)}
}

func (c *compressed) encode(dst []byte, p imagetransport.Picture) (string, []byte, error) {
	return c.encoder.Compress(dst, p, *c.options.Load())
}

func (c *compressed) parameters() []graph.Parameter {
	d := c.defaults
	formats := []graph.Choice{
		{Name: "jpeg", Description: "JPEG lossy compression", Value: imagetransport.JPEG},
		{Name: "png", Description: "PNG lossless compression", Value: imagetransport.PNG},
	}
	if d.Format == imagetransport.PNG {
		formats = formats[1:] // 16 bits don't fit into a JPEG
	}
	return []graph.Parameter{
		enable(),
		{Name: "format", Description: "Compression format", Default: d.Format, Choices: formats},
		{Name: "jpeg_quality", Description: "JPEG quality percentile", Default: d.JPEGQuality, Min: 1, Max: 100},
		pngLevel(d.PNGLevel),
	}
}

func (c *compressed) apply(v graph.Values) error {
	c.options.Store(&imagetransport.Options{Format: v["format"].(string), JPEGQuality: v["jpeg_quality"].(int), PNGLevel: v["png_level"].(int)})
	return nil
}

func enable() graph.Parameter {
	return graph.Parameter{Name: "enable", Description: "Enable image publishing", Default: true}
}

func pngLevel(level int) graph.Parameter {
	return graph.Parameter{Name: "png_level", Description: "PNG compression level", Default: level, Min: 1, Max: 9}
}

// compressedDepth is compressed_depth_image_transport's publisher with its parameters.
type compressedDepth struct {
	encoder  imagetransport.Encoder
	defaults imagetransport.DepthOptions
	options  atomic.Pointer[imagetransport.DepthOptions]
}

func newCompressedDepth(encoding string, units float64) *compressedDepth {
	d := &compressedDepth{defaults: imagetransport.DefaultDepthOptions(encoding)}
	d.defaults.Units = units
	return d
}

func (c *compressedDepth) encode(dst []byte, p imagetransport.Picture) (string, []byte, error) {
	return c.encoder.CompressDepth(dst, p, *c.options.Load())
}

func (c *compressedDepth) parameters() []graph.Parameter {
	d := c.defaults
	return []graph.Parameter{
		enable(),
		{Name: "format", Description: "Compression format", Default: d.Format, Choices: []graph.Choice{
			{Name: "png", Description: "PNG lossless compression", Value: imagetransport.PNG},
			{Name: "rvl", Description: "RVL lossless compression", Value: imagetransport.RVL},
		}},
		{Name: "depth_max", Description: "Maximum depth value (meter): what is farther becomes 0", Default: d.DepthMax,
			Min: float64(imagetransport.MinDepthMax), Max: float64(imagetransport.MaxDepthMax)},
		{Name: "depth_quantization", Description: "Depth value at which the sensor accuracy is 1 m (32FC1 only)", Default: d.Quantization,
			Min: float64(imagetransport.MinQuantization), Max: float64(imagetransport.MaxQuantization)},
		pngLevel(d.PNGLevel),
	}
}

func (c *compressedDepth) apply(v graph.Values) error {
	o := c.defaults
	o.Format, o.PNGLevel = v["format"].(string), v["png_level"].(int)
	o.DepthMax, o.Quantization = v["depth_max"].(float64), v["depth_quantization"].(float64)
	c.options.Store(&o)
	return nil
}
