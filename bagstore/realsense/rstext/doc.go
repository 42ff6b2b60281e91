// Package rstext reads and writes the text in which librealsense since 2.58 stores descriptions, options, metadata and
// notifications: key=value pairs separated by ';', and lists of numbers (docs/internals/format-realsense.md). Nothing
// is quoted: a ';' or a second '=' ends a value, so writers replace them (see [Clean]). Numbers have six decimals, or
// as many as keep the value. All functions are pure.
package rstext
