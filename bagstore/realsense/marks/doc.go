// Package marks finds what deserves a mark on the time line of a RealSense recording: missing
// frames, notifications, and changed options. It reads the index and few messages, however long the
// recording is. It keeps no file open.
package marks
