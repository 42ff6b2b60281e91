// Package process implements the processing blocks of librealsense 2.56.5: decimation,
// filters, alignment, colorizer and point cloud. Results are bit-identical.
//
// An Image is a frame with its Profile. A Set is the images of one moment. A Block
// processes a set in place. A Chain is a sequence of blocks. A Syncer matches frames of
// several streams to sets, a Uniter gyroscope and accelerometer samples.
//
// # Ownership
//
// A set owns a reference to each of its frames. A block releases the frames that it replaces and adds new ones, whose
// pixels return to the Resources' pool with the last Release. Blocks don't modify their input frames.
//
// Blocks keep state: tables of a profile, the history of the temporal filter, retained
// frames of the HDR merge. State belongs to one *Profile, by identity. With another
// *Profile, the block starts afresh. Call Reset after a seek and when the block is no
// longer used.
//
// # Concurrency
//
// A block processes one set at a time. Several chains may run concurrently with the same Resources and the same frames.
// Options and SetOption may be called at any time from any goroutine. Goroutines that process rows of images belong to
// Resources, whose Close waits for them.
//
// # Exactness
//
// All arithmetic is float32 with the SDK's order of operations. Products are explicitly converted to float32 before
// they are added, so that the compiler cannot fuse the operations.
package process
