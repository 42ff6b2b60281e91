// Command goroslib watches a camera of rs-ros-node from a node of goroslib, another implementation of ROS 1 in Go.
//
//	rs-ros-node live --device sim --master embedded &
//	go run ./examples/goroslib -images 30
//
// It prints the distance straight ahead in each depth image, and pauses the camera for a moment.
package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"

	"github.com/bluenviron/goroslib/v2"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/sensor_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_srvs"

	"rsros/msgs/goros/realsense2_camera"
)

func main() {
	camera := flag.String("camera", "/camera", "namespace of the camera's topics")
	images := flag.Int("images", 30, "number of depth images to read before the camera is paused")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *camera, *images); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, camera string, images int) error {
	node, err := newNode()
	if err != nil {
		return err
	}
	defer node.Close()

	infos, err := subscribe[sensor_msgs.CameraInfo](node, camera+"/depth/camera_info")
	if err != nil {
		return err
	}
	// goroslib lacks this type; msgs/goros has it.
	extrinsics, err := subscribe[realsense2_camera.Extrinsics](node, camera+"/extrinsics/depth_to_color")
	if err != nil {
		return err
	}
	info, err := receive(ctx, infos)
	if err != nil {
		return err
	}
	toColor, err := receive(ctx, extrinsics)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %dx%d, colour is %.1f mm beside it\n", info.Header.FrameId, info.Width,
		info.Height, 1000*toColor.Translation[0])

	depth, err := subscribe[sensor_msgs.Image](node, camera+"/depth/image_rect_raw")
	if err != nil {
		return err
	}
	for range images {
		if err := look(ctx, depth, info); err != nil {
			return err
		}
	}
	for _, paused := range []bool{true, false} {
		if err := pause(ctx, node, paused); err != nil {
			return err
		}
	}
	return look(ctx, depth, info)
}

// newNode joins the graph of ROS_MASTER_URI, which goroslib doesn't read itself.
func newNode() (*goroslib.Node, error) {
	conf := goroslib.NodeConf{Name: "goroslib_example", Host: cmp.Or(os.Getenv("ROS_HOSTNAME"), os.Getenv("ROS_IP")),
		LogLevel: goroslib.LogLevelWarn}
	if uri := os.Getenv("ROS_MASTER_URI"); uri != "" {
		master, err := url.Parse(uri)
		if err != nil {
			return nil, fmt.Errorf("ROS_MASTER_URI: %w", err)
		}
		conf.MasterAddress = master.Host
	}
	return goroslib.NewNode(conf)
}

// subscribe returns a channel of a topic's messages. It holds one message; others are dropped until that is
// received. The subscription ends with the node.
func subscribe[T any](node *goroslib.Node, topic string) (<-chan *T, error) {
	messages := make(chan *T, 1)
	_, err := goroslib.NewSubscriber(goroslib.SubscriberConf{Node: node, Topic: topic, Callback: func(message *T) {
		select {
		case messages <- message:
		default:
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	return messages, nil
}

func receive[T any](ctx context.Context, messages <-chan *T) (*T, error) {
	select {
	case message := <-messages:
		return message, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// look prints the next image's distance at the principal point.
func look(ctx context.Context, images <-chan *sensor_msgs.Image, info *sensor_msgs.CameraInfo) error {
	image, err := receive(ctx, images)
	if err != nil {
		return err
	}
	column, row := int(info.K[2]), int(info.K[5]) // the principal point
	at := row*int(image.Step) + 2*column
	if image.Encoding != "16UC1" || image.IsBigendian != 0 || at < 0 || at+2 > len(image.Data) {
		return fmt.Errorf("depth image with %d bytes of %q: want millimetres with 16 bits", len(image.Data), image.Encoding)
	}
	fmt.Printf("image %d: %.3f m straight ahead\n", image.Header.Seq,
		float64(binary.LittleEndian.Uint16(image.Data[at:]))/1000)
	return nil
}

// pause pauses or resumes the camera's topics.
func pause(ctx context.Context, node *goroslib.Node, paused bool) error {
	client, err := goroslib.NewServiceClient(goroslib.ServiceClientConf{Node: node,
		Name: "/pause_playback", Srv: &std_srvs.SetBool{}})
	if err != nil {
		return err
	}
	defer client.Close()
	var answer std_srvs.SetBoolRes
	if err := client.CallContext(ctx, &std_srvs.SetBoolReq{Data: paused}, &answer); err != nil {
		return fmt.Errorf("/pause_playback: %w", err)
	}
	if !answer.Success {
		return fmt.Errorf("/pause_playback: %s", answer.Message)
	}
	fmt.Printf("pause_playback %v: %s\n", paused, answer.Message)
	return nil
}
