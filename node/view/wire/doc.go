// Package wire is what the viewer's page and the program say to each other, as bytes
// (docs/view-protocol.md): the text messages as Go types, and the heads of binary ones.
// It knows no connection and no camera.
package wire
