package transport

import (
	"sync/atomic"

	"rsros/msgs/imagetransport"
	"rsros/ros/graph"
)

// form is a plugin of image_transport. apply sets its parameters, and must be called before encode.
type form struct {
	name       string
	encode     encode
	parameters []graph.Parameter
	apply      func(graph.Values)
}

func enable() graph.Parameter {
	return graph.Parameter{Name: "enable", Description: "Enable image publishing", Default: true}
}

func pngLevel(level int) graph.Parameter {
	return graph.Parameter{Name: "png_level", Description: "PNG compression level", Default: level, Min: 1, Max: 9}
}

// compressed is compressed_image_transport's publisher. The parameters of JPEG that only change how a file is laid out
// (progressive, optimize, restart interval) aren't offered.
func compressed(encoding string) form {
	d := imagetransport.DefaultOptions(encoding)
	formats := []graph.Choice{
		{Name: "jpeg", Description: "JPEG lossy compression", Value: imagetransport.JPEG},
		{Name: "png", Description: "PNG lossless compression", Value: imagetransport.PNG},
	}
	if d.Format == imagetransport.PNG {
		formats = formats[1:] // 16 bits don't fit into a JPEG
	}
	var encoder imagetransport.Encoder
	var options atomic.Pointer[imagetransport.Options]
	return form{"compressed",
		func(dst []byte, p imagetransport.Image) (string, []byte, error) {
			return encoder.Compress(dst, p, *options.Load())
		},
		[]graph.Parameter{
			enable(),
			{Name: "format", Description: "Compression format", Default: d.Format, Choices: formats},
			{Name: "jpeg_quality", Description: "JPEG quality percentile", Default: d.JPEGQuality, Min: 1, Max: 100},
			pngLevel(d.PNGLevel),
		},
		func(v graph.Values) {
			options.Store(&imagetransport.Options{Format: v["format"].(string), JPEGQuality: v["jpeg_quality"].(int), PNGLevel: v["png_level"].(int)})
		}}
}

// compressedDepth is compressed_depth_image_transport's publisher.
func compressedDepth(encoding string, units float64) form {
	d := imagetransport.DefaultDepthOptions(encoding)
	d.Units = units
	var encoder imagetransport.Encoder
	var options atomic.Pointer[imagetransport.DepthOptions]
	return form{"compressedDepth",
		func(dst []byte, p imagetransport.Image) (string, []byte, error) {
			return encoder.CompressDepth(dst, p, *options.Load())
		},
		[]graph.Parameter{
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
		},
		func(v graph.Values) {
			o := d
			o.Format, o.PNGLevel = v["format"].(string), v["png_level"].(int)
			o.DepthMax, o.Quantization = v["depth_max"].(float64), v["depth_quantization"].(float64)
			options.Store(&o)
		}}
}
