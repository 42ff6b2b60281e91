package transport

import (
	"sync/atomic"

	"rsros/msgs/imagetransport"
	"rsros/ros/graph"
)

// plugin is a plugin of image_transport. apply sets its parameters, and must be called before encode.
type plugin struct {
	name       string
	encode     encode
	parameters []graph.Parameter
	apply      func(graph.Values)
}

// newPlugin returns a plugin that compresses by default options, of which set sets those of parameters.
func newPlugin(
	name string, d imagetransport.Options,
	compress func(*imagetransport.Encoder, []byte, imagetransport.Image, imagetransport.Options) (string, []byte, error),
	set func(*imagetransport.Options, graph.Values), parameters ...graph.Parameter,
) plugin {
	var encoder imagetransport.Encoder
	var options atomic.Pointer[imagetransport.Options]
	enable := graph.Parameter{Name: "enable", Description: "Enable image publishing", Default: true}
	level := graph.Parameter{Name: "png_level", Description: "PNG compression level", Default: d.PNGLevel, Min: 1, Max: 9}
	return plugin{name,
		func(dst []byte, p imagetransport.Image) (string, []byte, error) {
			return compress(&encoder, dst, p, *options.Load())
		},
		append([]graph.Parameter{enable}, append(parameters, level)...),
		func(v graph.Values) {
			o := d
			o.Format, o.PNGLevel = v["format"].(string), v["png_level"].(int)
			set(&o, v)
			options.Store(&o)
		}}
}

// compressed is compressed_image_transport's publisher. The parameters of JPEG that only change how a file is laid out
// (progressive, optimize, restart interval) aren't offered.
func compressed(encoding string) plugin {
	d := imagetransport.DefaultOptions(encoding)
	formats := []graph.Choice{
		{Name: "jpeg", Description: "JPEG lossy compression", Value: imagetransport.JPEG},
		{Name: "png", Description: "PNG lossless compression", Value: imagetransport.PNG},
	}
	if d.Format == imagetransport.PNG {
		formats = formats[1:] // 16 bits don't fit into a JPEG
	}
	return newPlugin("compressed", d, (*imagetransport.Encoder).Compress,
		func(o *imagetransport.Options, v graph.Values) { o.JPEGQuality = v["jpeg_quality"].(int) },
		graph.Parameter{Name: "format", Description: "Compression format", Default: d.Format, Choices: formats},
		graph.Parameter{Name: "jpeg_quality", Description: "JPEG quality percentile",
			Default: d.JPEGQuality, Min: 1, Max: 100})
}

// compressedDepth is compressed_depth_image_transport's publisher.
func compressedDepth(encoding string, units float64) plugin {
	d := imagetransport.DefaultDepthOptions(encoding)
	d.Units = units
	return newPlugin("compressedDepth", d, (*imagetransport.Encoder).CompressDepth,
		func(o *imagetransport.Options, v graph.Values) {
			o.DepthMax, o.Quantization = v["depth_max"].(float64), v["depth_quantization"].(float64)
		},
		graph.Parameter{Name: "format", Description: "Compression format", Default: d.Format, Choices: []graph.Choice{
			{Name: "png", Description: "PNG lossless compression", Value: imagetransport.PNG},
			{Name: "rvl", Description: "RVL lossless compression", Value: imagetransport.RVL},
		}},
		graph.Parameter{Name: "depth_max",
			Description: "Maximum depth value (meter): what is farther becomes 0", Default: d.DepthMax,
			Min: float64(imagetransport.MinDepthMax), Max: float64(imagetransport.MaxDepthMax)},
		graph.Parameter{Name: "depth_quantization",
			Description: "Depth value at which the sensor accuracy is 1 m (32FC1 only)", Default: d.Quantization,
			Min: float64(imagetransport.MinQuantization), Max: float64(imagetransport.MaxQuantization)})
}
