package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore/place"
)

// concealed replaces addresses, also in --device=ADDRESS and _device:=ADDRESS, by names without user, password and
// query, so that nothing can show these. Addresses of masters stay: other packages use them.
func concealed(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.HasPrefix(arg, "__") || strings.HasPrefix(arg, "--master") || i > 0 && args[i-1] == "--master" {
			continue
		}
		if name, value, ok := strings.Cut(arg, "="); ok && (strings.HasPrefix(name, "-") || strings.HasSuffix(name, ":")) {
			args[i] = name + "=" + place.Redact(value)
		} else {
			args[i] = place.Redact(arg)
		}
	}
	return args
}

// defaultCache is the size of --cache in bytes.
const defaultCache = 10 << 30

// useCache uses the folder of --cache.
func (a *app) useCache() error {
	switch {
	case a.cache == "" && a.cacheSize > 0:
		return usage("--cache-size needs --cache")
	case a.cache == "":
		return nil
	}
	err := place.KeepIn(a.cache, cmp.Or(a.cacheSize, defaultCache), func(err error) {
		log := a.logger()
		log.Warn().Err(err).Msg("the folder of --cache can't be used any more; reading goes on without it")
	})
	if err != nil {
		return fmt.Errorf("--cache: %w", err)
	}
	return nil
}

// trafficSince returns what was read from addresses since earlier counts; nil if nothing was.
func trafficSince(before place.Traffic) *place.Traffic {
	if t := place.TrafficNow().Since(before); t.Requests > 0 {
		return &t
	}
	return nil
}

// logTraffic logs what was read from addresses, with --log-level debug.
func (a *app) logTraffic() {
	if t := place.TrafficNow(); a.level <= zerolog.DebugLevel && t.Requests > 0 {
		log := a.logger()
		log.Info().Int64("requests", t.Requests).Int64("again", t.Retries).Int64("bytes fetched", t.Fetched).
			Int64("bytes needed", t.Needed).Int64("bytes from the cache", t.Kept).Msg("read from addresses")
	}
}
