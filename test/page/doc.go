// Package page tests the viewer's page in Chromium, as a user would see it: its modules with the test
// vectors of the Go code, and the page itself.
package page
