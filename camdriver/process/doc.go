// Package process decimates, filters, aligns and colours frames, and turns depth
// into points. Its results are those of librealsense 2.56.5, to the last bit.
//
// An Image is a frame with its Profile, and a Set is the images of one moment. A
// Block processes a set in place, and a Chain is a sequence of blocks. The package's
// example shows all of this.
//
// # Ownership
//
// A set owns one reference of each of its frames. A block takes over the frames
// that it replaces and puts in frames of its own; their pixels come from the
// Resources' pool and go back to it with the last Release. Frames that come in
// are never written to.
//
// Blocks keep what they need from previous frames: tables for one profile, the
// history of the temporal filter, retained frames of the HDR merge. All of it belongs
// to one *Profile, by identity. When a frame has another *Profile, the block starts
// from scratch. Reset also forgets everything: call it after a seek, and when the
// block is no longer used.
//
// # Concurrency
//
// A block processes one set at a time; blocks don't know each other, so several
// chains may run at once with the same Resources, also on the same frames.
// Options and SetOption may be called at any time from any goroutine. No block
// has a goroutine: the ones that share the rows of an image belong to Resources,
// whose Close waits for them.
//
// # Exactness
//
// All arithmetic is float32, each operation rounded, in the SDK's order. Products
// are converted before they are added, which forbids the compiler to fuse the two.
package process
