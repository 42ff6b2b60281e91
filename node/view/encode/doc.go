// Package encode makes the forms of a camera's pictures that viewers ask for: smaller ones,
// depth as RVL in bands, and JPEG.
//
// What it makes is in the memory of a [Memory], to which the owner returns it. The
// picture that it is made of may change afterwards. A Memory may be used by several
// goroutines at a time.
package encode
