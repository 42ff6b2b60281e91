package ros2

import (
	"embed"
	"sync"

	"rsros/msgs"
)

//go:embed definitions/*.txt
var definitions embed.FS

// forms returns the definitions of ROS 2 types that ROS 1 lacks or that differ.
var forms = sync.OnceValue(func() msgs.Definitions {
	list, _, err := msgs.ReadDefinitions(definitions)
	if err != nil {
		panic("msgs/ros2: " + err.Error()) // embedded, so this is a bug
	}
	return list
})

// ros1Text returns the definition of a type in ROS 1's common packages.
func ros1Text(name string) (string, bool) {
	t, ok := msgs.Lookup(name)
	if !ok {
		return "", false
	}
	return msgs.Split(name, t.Definition).Text(name)
}

// older returns the definitions of early ROS 2 releases: those of ROS 1 if there is one, except for the Header.
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
