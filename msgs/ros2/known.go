package ros2

import (
	"embed"
	"path"
	"strings"
	"sync"

	"rsros/msgs"
)

//go:embed definitions/*.txt
var definitions embed.FS

// forms are the texts of the types that ROS 2 has in another form than ROS 1, or alone.
var forms = sync.OnceValue(func() map[string]string {
	list := make(map[string]string)
	files, err := definitions.ReadDir("definitions")
	if err != nil {
		panic("msgs/ros2: " + err.Error()) // they are part of the program
	}
	for _, f := range files {
		text, err := definitions.ReadFile("definitions/" + f.Name())
		if err != nil {
			panic("msgs/ros2: " + err.Error())
		}
		pkg := strings.TrimSuffix(path.Base(f.Name()), ".txt")
		for _, part := range strings.Split("\n"+string(text), "\n== msg ")[1:] {
			name, body, _ := strings.Cut(part, "\n")
			list[pkg+"/"+name] = strings.TrimRight(body, "\n")
		}
	}
	return list
})

// ros1Text returns the text of a type of ROS 1's common packages.
func ros1Text(name string) (string, bool) {
	t, ok := msgs.Lookup(name)
	if !ok {
		return "", false
	}
	s, err := msgs.Parse(t.Name, t.Definition)
	if err != nil {
		return "", false
	}
	return s.Text, true
}

// older returns the texts of ROS 2's first releases, where they are those of ROS 1
// but for the Header.
func older(name string) (string, bool) {
	if t, ok := ros1Text(name); ok && name != "std_msgs/Header" {
		return t, true
	}
	return newer(name)
}

// newer returns the texts of ROS 2's later releases.
func newer(name string) (string, bool) {
	if t, ok := forms()[name]; ok {
		return t, true
	}
	return ros1Text(name)
}
