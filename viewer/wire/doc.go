// Package wire encodes and decodes the protocol between the viewer's page and the program
// (docs/internals/view-protocol.md): text messages as Go types, and the heads of binary messages.
package wire
