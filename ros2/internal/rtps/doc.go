// Package rtps reads and writes the datagrams of RTPS 2.3, the wire protocol of DDS, as far as ROS 2 uses them.
//
// A datagram is a header and submessages. Numbers have the byte order of the submessage's E flag; ids are bytes.
//
//	 0        4       6        8                20
//	+--------+-------+--------+----------------+------------+------------+--
//	| "RTPS" | 2 . n | vendor | GUID prefix    | submessage | submessage | …
//	+--------+-------+--------+----------------+------------+------------+--
//
//	submessage     +------+-------+-----------+-----------------------------------------+
//	               | kind | flags | length 16 | content; length 0: to the datagram's end |
//	               +------+-------+-----------+-----------------------------------------+
//	INFO_TS    09  | seconds 32 | fraction 32 |       flag I: no time
//	INFO_SRC   0c  | unused 32 | version | vendor | prefix 12 |
//	INFO_DST   0e  | prefix 12 |             of the submessages after it
//	DATA       15  | extra 16 | to inline QoS 16 | reader | writer | number 64 | inline QoS? | payload? |
//	DATA_FRAG  16  | extra 16 | to inline QoS 16 | reader | writer | number 64 | first fragment 32 | fragments 16 |
//	               | fragment size 16 | sample size 32 | inline QoS? | fragments |
//	HEARTBEAT  07  | reader | writer | first 64 | last 64 | count 32 |              flag F: needs no answer
//	ACKNACK    06  | reader | writer | set of missing samples | count 32 |          flag F: needs no heartbeat
//	GAP        08  | reader | writer | start 64 | set |      start to the set's base, and what is in the set
//	NACK_FRAG  12  | reader | writer | number 64 | set of missing fragments | count 32 |
//
//	set            | base 64 (of fragments: 32) | bits n 32 | ceil(n/32) words 32; bit i is base+i, from the top |
//	inline QoS     parameters: | id 16 | length 16 | value |, up to id 1
//
// A Scanner returns the submessages of a datagram one after the other, and the functions that start with Append write
// them. What is read points into the datagram and is as valid as it. No claimed length is believed.
package rtps
