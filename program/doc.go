// Package program defines the program's name and version, and the errors that determine
// its exit code.
package program
