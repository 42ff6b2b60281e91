package ros

import "rsros/node/ros/internal/wire"

// Header is a connection header: what each end says about itself before the first
// message. It maps the field names of the ROS wiki, "callerid", "topic" or
// "service", "type", "md5sum", "message_definition", "latching", …, to text.
type Header = wire.Header
