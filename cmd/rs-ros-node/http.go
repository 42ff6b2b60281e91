package main

import (
	"github.com/spf13/pflag"

	"rsros/node/view"
	"rsros/node/viewers"
)

// httpFlags are where the viewer's page is, and what it may do.
func httpFlags(f *pflag.FlagSet, a *viewers.Access) {
	f.StringVar(&a.Address, "http", "", "serve the viewer's page at ADDRESS:PORT; beyond loopback, with a token that is printed")
	f.Lookup("http").NoOptDefVal = view.DefaultAddress
	f.StringArrayVar(&a.Origins, "http-origin", nil, "let the pages of this site connect to the viewer")
	f.BoolVar(&a.ViewOnly, "http-view-only", false, "viewers may look, and change nothing")
}
