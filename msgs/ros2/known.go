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

// forms returns the definitions of ROS 2 types that ROS 1 lacks or that differ.
var forms = sync.OnceValue(func() map[string]string {
	list := make(map[string]string)
	files, err := definitions.ReadDir("definitions")
	if err != nil {
		panic("msgs/ros2: " + err.Error()) // embedded, so this is a bug
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

// ros1Text returns the definition of a type in ROS 1's common packages.
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

// older returns the definitions of early ROS 2 releases: those of ROS 1 if there is one,
// except for the Header.
func older(name string) (string, bool) {
	if t, ok := ros1Text(name); ok && name != "std_msgs/Header" {
		return t, true
	}
	return newer(name)
}

// newer returns the definitions of later ROS 2 releases.
func newer(name string) (string, bool) {
	if t, ok := forms()[name]; ok {
		return t, true
	}
	return ros1Text(name)
}
