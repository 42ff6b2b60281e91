package main

import (
	"rsros/bagstore/place"
	"rsros/bagstore/place/s3"
	"rsros/bagstore/place/web"
)

// registerPlaces makes addresses known. It sends nothing.
func registerPlaces() {
	place.Register(s3.Scheme, &s3.Store{})
	for _, scheme := range web.Schemes {
		place.Register(scheme, web.New())
	}
}
