package server

import (
	"net"
	"net/http"
	"time"
)

// Transport returns a transport for stores. It gives up on servers that don't answer, and bounds
// the headers that it accepts.
func Transport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  Scaled(Silence),
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        time.Minute,
		MaxIdleConnsPerHost:    16,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // ranges are of the bytes that are stored
		ForceAttemptHTTP2:      true,
	}
}
