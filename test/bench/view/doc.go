// Package view has benchmarks of the program's processor time for viewers, and of seeks.
// Package page measures how late the page draws images.
package view
