package bagstore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
)

// start is the time of the first message of the examples' bags.
var start = bagstore.TimeOf(time.Date(2026, 5, 3, 12, 30, 0, 0, time.UTC))

// writeBag records n greetings, a second apart.
func writeBag(path string, n int) error {
	w, err := bagstore.Create(path, bagstore.Options{})
	if err != nil {
		return err
	}
	typ := msgs.MustType("std_msgs/String")
	id, err := w.AddConnection(bagstore.Connection{Topic: "/greeting", Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition})
	if err != nil {
		return err
	}
	for i := range n {
		text := msgs.Marshal(&msgs.String{Data: fmt.Sprint("hello ", i)})
		if err := w.Write(id, start.Add(time.Duration(i)*time.Second), text); err != nil {
			return err
		}
	}
	return w.Close()
}

// A bag is written with a Writer and read with a View's Iterator.
func Example() {
	path := filepath.Join(tempDir(), "greetings.bag")
	defer os.RemoveAll(filepath.Dir(path))
	if err := writeBag(path, 5); err != nil {
		log.Fatal(err)
	}

	bag, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer bag.Close()
	view, err := bagstore.NewView([]*bagstore.Bag{bag}, bagstore.Query{Start: start.Add(3 * time.Second)})
	if err != nil {
		log.Fatal(err)
	}
	it := view.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		var text msgs.String
		if err := msgs.Unmarshal(m.Data, &text); err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Time.Sub(start), m.Conn.Topic, text.Data)
	}
	if err := it.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 3s /greeting hello 3
	// 4s /greeting hello 4
}

// Recover makes a sound bag of a torn one. Here the last bytes are missing, which
// are the index section and the index of the only chunk: no message is lost.
func ExampleRecover() {
	path := filepath.Join(tempDir(), "torn.bag")
	defer os.RemoveAll(filepath.Dir(path))
	if err := writeBag(path, 5); err != nil {
		log.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-300); err != nil {
		log.Fatal(err)
	}

	whole := filepath.Join(filepath.Dir(path), "whole.bag")
	report, err := bagstore.Recover(context.Background(), path, whole, bagstore.RecoverOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kept", report.Kept, "lost", report.Lost)
	for _, topic := range report.Topics {
		fmt.Println(topic.Topic, topic.Kept)
	}
	// Output:
	// kept 5 lost 0
	// /greeting 5
}

func tempDir() string {
	dir, err := os.MkdirTemp("", "bagstore-example-")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}
