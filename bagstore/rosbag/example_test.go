package rosbag_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
)

// greetings writes a bag of three messages.
func greetings(path string) error {
	w, err := rosbag.Create(path, bagstore.Options{Compression: bagstore.LZ4})
	if err != nil {
		return err
	}
	defer w.Close()
	chatter, err := w.AddConnection(bagstore.Connection{
		Topic: "/chatter", Type: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n"})
	if err != nil {
		return err
	}
	for i, text := range []string{"one", "two", "three"} {
		length := []byte{byte(len(text)), 0, 0, 0}
		if err := w.Write(chatter, bagstore.NewTime(1700000000+uint32(i), 0), length, []byte(text)); err != nil {
			return err
		}
	}
	return w.Close()
}

// Write a bag and read it.
func Example() {
	dir, err := os.MkdirTemp("", "bag")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "greetings.bag")
	if err := greetings(path); err != nil {
		log.Fatal(err)
	}

	bag, err := rosbag.Open(path, bagstore.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer bag.Close()
	view := bag.View(bagstore.Query{Start: bagstore.NewTime(1700000001, 0)})
	it := view.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		fmt.Printf("%d %s %s\n", m.Time.Sec(), m.Conn.Topic, m.Data[4:])
	}
	if err := it.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1700000001 /chatter two
	// 1700000002 /chatter three
}

// Recover the whole messages of a truncated bag.
func ExampleRecover() {
	dir, err := os.MkdirTemp("", "bag")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "greetings.bag")
	if err := greetings(path); err != nil {
		log.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-100); err != nil { // in the index section
		log.Fatal(err)
	}

	report, err := rosbag.Recover(context.Background(), path, filepath.Join(dir, "recovered.bag"), bagstore.RecoverOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kept", report.Kept, "lost", report.Lost)
	// Output: kept 3 lost 0
}
