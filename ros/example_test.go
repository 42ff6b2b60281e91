package ros_test

import (
	"context"
	"fmt"

	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/master"
)

// join starts nodes with a master of their own, for the examples.
func join(names ...string) (nodes []*ros.Node, leave func()) {
	m, err := master.Start(master.Config{Address: "127.0.0.1:0", Host: "127.0.0.1"})
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		n, err := ros.NewNode(context.Background(), ros.Config{Name: name, MasterURI: m.URI(), Host: "127.0.0.1"})
		if err != nil {
			panic(err)
		}
		nodes = append(nodes, n)
	}
	return nodes, func() {
		for _, n := range nodes {
			n.Close()
		}
		m.Close()
	}
}

// A publisher and a subscriber of raw bytes. A program takes its Config from ParseArgs and uses an
// existing master.
func Example() {
	nodes, leave := join("talker", "listener")
	defer leave()
	talker, listener := nodes[0], nodes[1]

	// Latched: later subscribers get the last message, too.
	pub, err := talker.Advertise(ros.PublisherOptions{Topic: "chatter", Type: msgs.MustType("std_msgs/String"), Latch: true})
	if err != nil {
		panic(err)
	}
	pub.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: "hello"})})

	received := make(chan string, 1)
	// No type: any is received, and its definition is in the header.
	sub, err := listener.Subscribe(ros.SubscriberOptions{Topic: "chatter"}, func(r ros.Received) {
		received <- fmt.Sprintf("%s: % x", r.Header["type"], r.Data) // Data is valid until we return
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(<-received)
	sub.Close()
	// Output: std_msgs/String: 05 00 00 00 68 65 6c 6c 6f
}

// A large body is sent without a copy; its owner is notified when the last subscriber has it.
func ExamplePublisher_Publish() {
	nodes, leave := join("camera")
	defer leave()
	pub, err := nodes[0].Advertise(ros.PublisherOptions{Topic: "image", Type: msgs.MustType("sensor_msgs/Image")})
	if err != nil {
		panic(err)
	}
	pixels := make([]byte, 640*480)
	head := msgs.Marshal(&msgs.ImageHead{Height: 480, Width: 640, Encoding: "mono8", Step: 640, DataLen: uint32(len(pixels))})
	pub.Publish(msgs.Raw{Head: head, Body: pixels, Owner: owner{}})
	fmt.Println("subscribers:", pub.Subscribers())
	// Output:
	// released
	// subscribers: 0
}

type owner struct{}

func (owner) Release() { fmt.Println("released") }

// A service that another node calls.
func ExampleNode_AdvertiseService() {
	nodes, leave := join("server", "client")
	defer leave()
	server, client := nodes[0], nodes[1]

	trigger := msgs.MustService("std_srvs/Trigger")
	_, err := server.AdvertiseService("reset", trigger, func(context.Context, []byte) ([]byte, error) {
		return msgs.Marshal(&msgs.Result{Success: true, Message: "done"}), nil
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := server.Sync(ctx); err != nil {
		panic(err)
	}
	answer, err := client.CallService(ctx, "reset", trigger, nil)
	if err != nil {
		panic(err)
	}
	var result msgs.Result
	if err := msgs.Unmarshal(answer, &result); err != nil {
		panic(err)
	}
	fmt.Println(result.Success, result.Message)
	// Output: true done
}
