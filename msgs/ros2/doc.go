// Package ros2 makes ROS 1 messages of ROS 2 messages, and the other way round.
//
// A Mapping makes ROS 1 messages of those of one ROS 2 type. It pairs the fields of the ROS 2 definition, which a
// recording has or this package knows, with those of the ROS 1 type of the same name:
// by name, whatever the case (ROS 2's CameraInfo has d where ROS 1's has D). What
// only ROS 1 has, such as the seq of a Header, becomes zero; what only ROS 2 has is
// left out and listed. Types that ROS 1's common packages don't have keep their
// name and get a definition of the same fields, so that name, definition and md5
// agree.
//
// Definitions in this package are those of types that only ROS 2 has, or has in
// another form than ROS 1. Of some types, releases of ROS 2 differ; a message without
// a definition is read by the form that fits it to its end.
//
// An Encoder makes ROS 2 messages of those of one ROS 1 type, by the same rules: types
// that ROS 2's common packages have get ROS 2's fields, and others keep their name and
// their fields. Types without a namesake have a table (ros2Names). The seq of a Header,
// which ROS 2 doesn't have, is left out without being listed. What an Encoder makes, a
// Mapping turns into the same ROS 1 message again, but for such fields.
//
// A Mapping and an Encoder are immutable and may be used from several goroutines.
package ros2
