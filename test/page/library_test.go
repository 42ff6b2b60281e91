package page

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore/db3"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/convert"
)

// TestLibraryInBucket is the page on a bucket of ten recordings: words, topics and times find them, and choosing one
// plays it from there, also a folder of rosbag2. Such a folder named itself is shown as the recording that it is.
func TestLibraryInBucket(t *testing.T) {
	s3, dir := bucket.Start(t), t.TempDir()
	robot, walk := samplebag.Robot(t, "robot.bag"), samplebag.Walk(t, "walk.bag")
	if _, err := convert.Messages(t.Context(), convert.Options{In: robot, Out: filepath.Join(dir, "folder"), ROS: 2, Storage: db3.StorageMCAP}); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		need.Must(t, os.Link(walk, filepath.Join(dir, fmt.Sprintf("walk%d.bag", i))))
	}
	s3.Put("lib", dir)
	s3.Put("lib/robot.bag", robot)
	recordings := []string{startView(t, filepath.Join(dir, "folder")), startView(t, s3.Address("lib/folder/"))}
	library := startView(t, s3.Address("lib/"))
	b := newTab(t) // ends before what it shows, which it would report missing
	for _, url := range recordings {
		b.open(url)
		b.await(`window.viewer && viewer.store.source.value?.name === 'folder' && [...viewer.store.views.value.values()].some((v) => v.info.name === '/camera/image' && v.counters.drawn > 0)`)
	}
	b.open(library)
	const found = `[...document.querySelectorAll('.files .file')].map((f) => f.title).join(' ')`
	b.await(found + ` === 'folder robot.bag ' + [0, 1, 2, 3, 4, 5, 6, 7].map((i) => 'walk' + i + '.bag').join(' ')`)
	b.expect("400") // for an incomplete time
	for _, c := range []struct{ words, want string }{
		{"WALK3", "walk3.bag"}, {"topic:/camera/image", "folder robot.bag"}, {"from:2023-11-13 topic:lidar bag", "robot.bag"}, {"from:2023-11-17", ""},
		{"from:2023-11-13 to:2023-11-16 name:walk type:String 7", "walk7.bag"}, {"type:sensor_msgs", "folder robot.bag"},
	} {
		eval[bool](b, `(i => (i.focus(), i.select(), true))(document.querySelector('input[type=search]'))`)
		b.keys(c.words)
		b.await(found+` === $1 && !document.querySelector('.files ~ .error')`, c.want)
	}
	for _, name := range []string{"folder", "robot.bag"} {
		eval[bool](b, `[...document.querySelectorAll('.files .file')].find((f) => f.title === $1).click() ?? true`, name)
		b.await(`viewer.store.source.value?.file === $1 && [...viewer.store.views.value.values()].some((v) => v.info.name === '/camera/image' && v.counters.drawn > 0)`, name)
	}
	b.screenshot("view-bucket")
}
