// Package page tests the viewer's page in Chromium, as a user would see it: its
// modules with the vectors that the Go code is tested with, and the page itself.
package page
