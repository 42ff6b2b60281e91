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
	registerClouds()
}

// trafficSince returns what was read from addresses since earlier counts; nil if nothing was.
func trafficSince(before place.Traffic) *place.Traffic {
	if t := place.TrafficNow().Since(before); t.Requests > 0 {
		return &t
	}
	return nil
}

// logTraffic logs what was read from addresses, with --verbose.
func (a *app) logTraffic() {
	if t := place.TrafficNow(); a.verbose && t.Requests > 0 {
		log := a.logger()
		log.Info().Int64("requests", t.Requests).Int64("again", t.Retries).Int64("bytes fetched", t.Fetched).Int64("bytes needed", t.Needed).Msg("read from addresses")
	}
}
