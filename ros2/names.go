package ros2

import (
	"fmt"
	"regexp"
	"strings"
)

// What topics and types of DDS have more than those of ROS.
const (
	topicPrefix   = "rt"
	requestPrefix = "rq"
	requestSuffix = "Request"
	requestType   = "_Request"
	replyPrefix   = "rr"
	replySuffix   = "Reply"
	responseType  = "_Response"
)

var (
	fullName = regexp.MustCompile(`^(/[A-Za-z_][A-Za-z0-9_]*)+$`)
	baseName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	typeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*/(msg|srv|action)/[A-Za-z][A-Za-z0-9_]*$`)
)

// resolve makes a name absolute: "~/a" is below the node, "a" below its namespace.
func (n *Node) resolve(name string) (string, error) {
	full := name
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		full = n.FullName() + name[1:]
	case !strings.HasPrefix(name, "/"):
		full = strings.TrimSuffix(n.config.Namespace, "/") + "/" + name
	}
	if !fullName.MatchString(full) || strings.Contains(full, "__") {
		return "", fmt.Errorf("name %q: want letters, digits and single '_' between '/', and no digit after '/'", name)
	}
	return full, nil
}

// ddsType converts "sensor_msgs/msg/Image" to "sensor_msgs::msg::dds_::Image_".
func ddsType(name, suffix string) (string, error) {
	if !typeName.MatchString(name) {
		return "", fmt.Errorf("type %q: want PACKAGE/msg/NAME or PACKAGE/srv/NAME", name)
	}
	parts := strings.Split(name, "/")
	return parts[0] + "::" + parts[1] + "::dds_::" + parts[2] + suffix + "_", nil
}

// rosType is the inverse of ddsType; other types are returned as they are.
func rosType(name string) string {
	parts := strings.Split(name, "::")
	if len(parts) != 4 || parts[2] != "dds_" {
		return name
	}
	return parts[0] + "/" + parts[1] + "/" + strings.TrimSuffix(parts[3], "_")
}

// Kinds of what a topic of DDS is in ROS.
type topicKind int

const (
	otherTopic topicKind = iota
	rosTopic
	requestTopic
	replyTopic
)

// rosName returns what a topic of DDS is in ROS: the name of a topic or of a service.
func rosName(topic string) (string, topicKind) {
	prefix, rest, found := strings.Cut(topic, "/")
	if !found {
		return topic, otherTopic
	}
	service, isRequest := strings.CutSuffix("/"+rest, requestSuffix)
	reply, isReply := strings.CutSuffix("/"+rest, replySuffix)
	switch {
	case prefix == topicPrefix:
		return "/" + rest, rosTopic
	case prefix == requestPrefix && isRequest:
		return service, requestTopic
	case prefix == replyPrefix && isReply:
		return reply, replyTopic
	}
	return topic, otherTopic
}

// userData returns an endpoint's user data, which carries a type's hash.
func (n *Node) userData(hash string) string {
	if hash == "" {
		return n.config.UserData
	}
	return "typehash=" + hash + ";" + n.config.UserData
}

// hashOf is the inverse of userData.
func hashOf(userData string) string {
	_, rest, _ := strings.Cut(userData, "typehash=")
	hash, _, _ := strings.Cut(rest, ";")
	return hash
}
