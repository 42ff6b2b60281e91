package ros

import "time"

// Now is the ROS time.
func (n *Node) Now() time.Time { return time.Now() }
