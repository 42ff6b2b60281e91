//go:build gocloud

package main

import (
	"rsros/bagstore/place"
	"rsros/bagstore/place/gocloud"
)

func registerClouds() {
	for scheme, s := range gocloud.Stores() {
		place.Register(scheme, s)
	}
}
