package ros_test

import (
	"context"
	"fmt"
	"log"

	"rsros/msgs"
	"rsros/node/master"
	"rsros/node/ros"
)

// One node publishes bytes, and another receives them. Both register with the same
// master, here one in the same process.
func Example() {
	m, err := master.Start(master.Config{Address: "127.0.0.1:0", Host: "127.0.0.1"})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	ctx := context.Background()
	talker, err := ros.NewNode(ctx, ros.Config{Name: "talker", MasterURI: m.URI(), Host: "127.0.0.1"})
	if err != nil {
		log.Fatal(err)
	}
	defer talker.Close()
	listener, err := ros.NewNode(ctx, ros.Config{Name: "listener", MasterURI: m.URI(), Host: "127.0.0.1"})
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()

	// The message is latched, so the subscriber gets it whenever it connects.
	chatter, err := talker.Advertise(ros.PublisherOptions{Topic: "/chatter", Type: msgs.MustType("std_msgs/String"), Latch: true})
	if err != nil {
		log.Fatal(err)
	}
	chatter.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: "hello"})})

	received := make(chan string, 1)
	_, err = listener.Subscribe(ros.SubscriberOptions{Topic: "/chatter"}, func(r ros.Received) {
		var text msgs.String // r.Data is only valid in here, unless it is retained
		if err := msgs.Unmarshal(r.Data, &text); err != nil {
			log.Fatal(err)
		}
		received <- fmt.Sprintf("%s from %s: %s", r.Header["type"], r.Header["callerid"], text.Data)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-received)
	// Output: std_msgs/String from /talker: hello
}
