package ros2

import (
	_ "embed"
	"strings"
)

// serviceHashes has lines with a service's type and the hashes of its request and its response, as ROS 2's own
// generator has them. They are a list because bounds, which they depend on, aren't in definitions of this program.
//
//go:embed servicehashes.txt
var serviceHashes string

// hashesOf returns the type hashes of a service's request and response, "" if they aren't known.
func hashesOf(service string) (request, response string) {
	for line := range strings.Lines(serviceHashes) {
		if f := strings.Fields(line); f[0] == service {
			return "RIHS01_" + f[1], "RIHS01_" + f[2]
		}
	}
	return "", ""
}
