// Package encode makes the forms of a camera's pictures that viewers ask for: smaller ones,
// depth as RVL in bands, and JPEG. It also makes JSON of poses and of ROS messages.
//
// Pictures that it makes are in the memory of a [Memory], to which the owner returns them. The
// picture that it is made of may change afterwards. A Memory may be used by several
// goroutines at a time.
package encode
