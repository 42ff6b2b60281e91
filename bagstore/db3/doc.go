// Package db3 reads and writes .db3 files, the SQLite files of ROS 2's recorder (schemas 1 to 4) and of
// librealsense since 2.58, without SQLite. A [File] is a [bagstore.Messages], and knows no message types. A [Writer]
// makes new files, and [Metadata] is the text of a rosbag2 folder.
//
// Tables of schema 4 (writer.go has those of the others):
//
//	schema               schema_version, ros_distro
//	metadata             id, metadata_version, metadata: the text of metadata.yaml
//	topics               id, name, type, serialization_format, offered_qos_profiles, type_description_hash
//	message_definitions  id, topic_type, encoding, encoded_message_definition, type_description_hash
//	messages             id, topic_id, timestamp (ns since 1970), data
//
// Opening reads the rows of the messages table, without their data, into blocks: pages, time range and number of
// messages by topic. If the table's tree is damaged, or lacks row numbers, rows are taken from every page that has
// some. A killed recorder's write-ahead log or journal is read as part of the file. Reading never writes.
package db3
