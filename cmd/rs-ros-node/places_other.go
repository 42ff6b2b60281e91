//go:build !gocloud

package main

// registerClouds registers nothing: gs:// and azblob:// need the build tag gocloud.
func registerClouds() {}
