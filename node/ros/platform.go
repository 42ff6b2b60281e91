package ros

import "rsros/node/ros/internal/wire"

// Sends says in words how messages are sent in this build.
const Sends = wire.Sends
