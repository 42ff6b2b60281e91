// Package rosbag2 reads the SQLite files of rosbag2, the recorder of ROS 2, which end
// in .db3: those that ROS 2 wrote, schemas 1 to 4, and those of librealsense since
// 2.58. It is a container.Container; it knows nothing of message types. A Writer makes
// new ones, and Metadata is the text that a folder of rosbag2 has beside them.
//
// Opening reads the rows of the messages table without their data, and keeps what
// it found in blocks of some thousand rows: time range and number of messages by topic.
// If SQLite can't follow a damaged file, its rows are found page by page. A write-ahead log
// beside the file, which a killed recorder leaves, is read as part of it. Reading never writes.
package rosbag2
