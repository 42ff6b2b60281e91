// Package rstext is the text that librealsense since 2.58 keeps a recording's
// description, options, metadata and notifications in: key=value pairs with a ';'
// between them, and lists of numbers (docs/format-realsense.md).
//
// The text has no quoting. A ';' or a second '=' in a value cuts it for every
// reader, so writers replace them; [Clean] says where. Numbers are written with six
// decimals, as the SDK writes them, and with more where these would change the value.
//
// All functions are pure and may be called by many goroutines.
package rstext
