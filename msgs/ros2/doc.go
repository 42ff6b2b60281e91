// Package ros2 converts between ROS 1 and ROS 2 messages.
//
// A Mapping converts messages of a ROS 2 type to ROS 1. It pairs the fields of the ROS 2 definition, from the recording
// or from this package, with those of the ROS 1 type of the same name, ignoring case (CameraInfo has d in ROS 2 and D
// in ROS 1). Fields that only ROS 1 has, such as the seq of a Header, are zero. Fields that only ROS 2 has are dropped
// and listed. Types that are not in ROS 1's common packages keep their name and fields.
//
// This package has definitions of types that differ from ROS 1. Some of them differ between releases of ROS 2. A
// message without a definition is decoded with the first one that fits its length.
//
// An Encoder converts messages of a ROS 1 type to ROS 2 by the same rules. It drops the seq
// of a Header without listing it. ros2Names has types with different names. A Mapping
// converts an Encoder's result back to the same message, except for dropped fields.
//
// A Mapping and an Encoder are immutable and safe for concurrent use.
package ros2
