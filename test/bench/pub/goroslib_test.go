package pub

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bluenviron/goroslib/v2"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/sensor_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_msgs"
)

// runGoroslib does with goroslib's Node what run does with ours. It can't say how
// many subscribers it has, so it waits two seconds for them.
func runGoroslib(topic string, fps, seconds float64, subscribers int) error {
	n, err := goroslib.NewNode(goroslib.NodeConf{Name: "bench_goroslib", Host: os.Getenv("ROS_IP"),
		MasterAddress: strings.Trim(strings.TrimPrefix(os.Getenv("ROS_MASTER_URI"), "http://"), "/")})
	if err != nil {
		return err
	}
	defer n.Close()
	p, err := goroslib.NewPublisher(goroslib.PublisherConf{Node: n, Topic: topic, Msg: &sensor_msgs.Image{}})
	if err != nil {
		return err
	}
	defer p.Close()
	time.Sleep(2 * time.Second)
	pool := images()
	start, cpu := time.Now(), cpuSeconds()
	count := int(fps * seconds)
	for i := range count {
		time.Sleep(time.Until(start.Add(time.Duration(float64(i) / fps * 1e9))))
		p.Write(&sensor_msgs.Image{Header: std_msgs.Header{Seq: uint32(i), Stamp: time.Now(), FrameId: frame},
			Height: height, Width: width, Encoding: "rgb8", Step: width * 3, Data: pool[i%len(pool)]})
	}
	time.Sleep(500 * time.Millisecond)
	gb := float64(count*width*height*3) / 1e9
	fmt.Printf("PUB goroslib fps=%.0f subs=%d images=%d cpu/GB=%.3f\n", fps, subscribers, count, (cpuSeconds()-cpu)/gb)
	return nil
}
