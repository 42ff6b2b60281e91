// Package rosbag2 reads the SQLite files of rosbag2, the recorder of ROS 2, which end
// in .db3: those that ROS 2 wrote, schemas 1 to 4, and those of librealsense since
// 2.58. It is a container.Container; it knows nothing of message types. A Writer makes
// new ones, and Metadata is the text that a folder of rosbag2 has with them.
//
// Opening reads the rows of the messages table without their data, and keeps blocks of some thousand rows: the pages
// that have them, the time range and the number of messages by topic. If pages can't be followed, the rows are taken
// from every page that has some. What a killed recorder left next to the file, a write-ahead log or a
// journal, is read as part of it. Reading never writes.
package rosbag2
