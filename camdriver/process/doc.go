// Package process computes with frames: it decimates, filters, aligns, colours
// and turns depth into points as librealsense 2.56.5 does, to the last bit.
//
// An Image is a frame with the Profile it belongs to, a Set is what was taken at
// one moment. A Block takes a set and changes it in place; a Chain is several
// blocks in a row. The package's example shows all of it.
//
// # Ownership
//
// A set owns one reference of each of its frames. A block takes over the frames
// that it replaces and puts in frames of its own; their pixels come from the
// Resources' pool and go back to it with the last Release. Frames that come in
// are never written to.
//
// Blocks keep what they need of former frames: tables of one profile, the history
// of the temporal filter, retained frames of the HDR merge. All of it belongs to
// the *Profile of the frames, by identity; a frame of another *Profile starts it
// afresh, and Reset forgets it. Call Reset after a seek, and when the block is no
// longer used.
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
