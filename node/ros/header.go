package ros

import "rsros/node/ros/internal/wire"

// Header is a connection header, which each end sends before the first message. The
// keys are the field names of the ROS wiki: "callerid", "topic" or "service", "type",
// "md5sum", "message_definition", "latching", ….
type Header = wire.Header
