package main

import (
	"github.com/spf13/pflag"

	"rsros/node/foxglove"
)

// foxgloveFlags are where Foxglove and Lichtblick connect, and what they may do.
func foxgloveFlags(f *pflag.FlagSet, a *foxglove.Access) {
	f.StringVar(&a.Address, "foxglove", "", "let Foxglove and Lichtblick connect, at ADDRESS:PORT; beyond loopback, with a token that is printed")
	f.Lookup("foxglove").NoOptDefVal = foxglove.DefaultAddress
	f.StringArrayVar(&a.Origins, "foxglove-origin", nil, "let the pages of this site connect, such as https://app.foxglove.dev")
	f.BoolVar(&a.ViewOnly, "foxglove-view-only", false, "let nobody publish, call services, set parameters or control playback there")
}
