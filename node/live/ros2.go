package live

import (
	"cmp"
	"strings"

	"rsros/node/bridge"
	"rsros/node/naming"
)

// inROS2 returns the names of the node and its topics in ROS 2, as realsense2_camera has them there: a camera's topics
// are below CameraNamespace/Camera, and a node with one camera has that name. The SDK's topics are left out unless a
// setting chose the naming, because in ROS 2 each topic has to be told to each participant.
func (n *Session) inROS2(list []Options) bridge.Options {
	namespace := "/" + strings.Trim(cmp.Or(n.opts.ROS.Namespace, list[0].CameraNamespace, "camera"), "/")
	_, chosen := list[0].Given["naming"]
	o := bridge.Options{QoS: list[0].QoS}
	if len(list) == 1 && n.opts.ROS.Name == "" && list[0].Camera != "." {
		o.Namespace, o.Name = namespace, strings.ReplaceAll(strings.Trim(list[0].Camera, "/"), "/", "_")
	}
	o.Rename = func(topic string) string {
		if naming.IsSDKTopic(topic) && !chosen {
			return ""
		}
		if cameras := n.logged.Load(); cameras != nil {
			for _, c := range *cameras {
				if strings.HasPrefix(topic, "/"+strings.Trim(c.opts.Camera, "/")+"/") {
					return namespace + topic
				}
			}
		}
		return topic
	}
	return o
}
