package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/program/work"
	"rsros/replay/recorded"
	"rsros/usbcam/usbip"
	"rsros/usbcam/usbserve"
)

// maxServed bounds the cameras of a server: each has a bus id and buffers of its own.
const maxServed = 8

func newUSBServeCommand(a *app) *cobra.Command {
	var devices []string
	var listen, camera string
	cmd, f := newCommand("usb-serve", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		if len(devices) > maxServed {
			return usage("%d cameras, want at most %d", len(devices), maxServed)
		}
		for i, d := range devices {
			if slices.Contains(devices[:i], d) {
				return usage("--device %s twice: the cameras would have the same serial number; "+
					"simulated ones have their own as sim:1, sim:2", d)
			}
		}
		return a.serveUSB(ctx, devices, camera, listen)
	})
	f.StringArrayVar(&devices, "device", []string{"sim"},
		"`DEVICE` is sim, sim:SERIAL, or a recording, which is repeated; repeat it for several cameras")
	cameraFlag(f, &camera)
	f.StringVar(&listen, "listen", "127.0.0.1:3240", "`ADDR` to listen at; clients need no password")
	return cmd
}

func (a *app) serveUSB(ctx context.Context, devices []string, camera, listen string) (err error) {
	log := a.logger()
	var ports []*usbip.Port
	for i, device := range devices {
		port, end, err2 := served(log, device, camera, fmt.Sprintf("1-%d", i+1))
		defer func() { err = errors.Join(err, end()) }()
		if err2 != nil {
			return err2
		}
		ports = append(ports, port)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := usbip.NewServer(log, ports...)
	signals := make(chan os.Signal, 2) // one of each may come at once
	if len(plugSignals) > 0 {
		signal.Notify(signals, plugSignals...)
		defer signal.Stop(signals)
	}
	for i, p := range ports {
		log.Info().Stringer("address", l.Addr()).Str("device", devices[i]).
			Msgf("serving; plug it in with: usbip attach -r HOST -b %s", p.BusID)
	}
	defer work.Run(ctx, func(ctx context.Context) {
		for {
			select {
			case s := <-signals:
				in := s != plugSignals[0]
				server.SetPlugged(in)
				log.Info().Msg(map[bool]string{true: "plugged in", false: "unplugged"}[in] + " all cameras")
			case <-ctx.Done():
				return
			}
		}
	})()
	return server.Serve(ctx, l)
}

// served returns a port for a device, and what ends it, also after an error.
func served(log zerolog.Logger, device, camera, busID string) (port *usbip.Port, end func() error, err error) {
	end = func() error { return nil }
	dev, err := openServed(device, camera)
	if err != nil {
		return nil, end, err
	}
	end = dev.Close
	source, err := usbserve.New(dev)
	if err != nil {
		return nil, end, fmt.Errorf("serve %s: %w", device, err)
	}
	return usbip.Virtual(busID, source.Options(), func() {
		if err := source.Rest(); err != nil {
			log.Warn().Err(err).Msg("stop the streams")
		}
	}), func() error { return errors.Join(source.Close(), dev.Close()) }, nil
}

func openServed(device, camera string) (camdriver.Device, error) {
	switch kind, serial, _ := strings.Cut(device, ":"); kind {
	case "sim":
		return sim.Open(sim.Options{Serial: serial})
	case "usb":
		return nil, fmt.Errorf("serve %s: want sim, a recording or a report; Linux's usbipd serves a camera on USB", device)
	}
	return recorded.Open(device, recorded.Options{RealTime: true, Loop: true, Camera: camera, Lenient: true})
}
