// Package proof keeps and reads the log that proves what a recorder wrote: the digests of a bag's chunks,
// messages and indexes, as the leaves of a tree of hashes, and signatures of the tree's root.
//
// A [Log] is written next to a recording; its methods document which goroutine may call them. [Open] reads a log
// and finds its newest root with a valid signature. docs/format-proof.md describes the file.
//
// Nothing in a log, a key or a signature is trusted before its signature is verified: lengths are bounded by the
// file, and memory by the number of leaves.
package proof
