package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/camdriver/sim"
	"rsros/camdriver/usbip"
	"rsros/camdriver/usbserve"
)

func newUSBServeCommand(a *app) *cobra.Command {
	var device, listen string
	cmd := &cobra.Command{
		Use:   "usb-serve",
		Short: "Serve a simulated camera or a recording as a RealSense on USB, by USB/IP",
		Long: `usb-serve offers a D435i by USB/IP, which the simulated camera or a recording
provides with images, motion data, times, metadata and calibration. On any Linux,

  modprobe vhci-hcd && usbip attach -r 127.0.0.1 -b 1-1

plugs it in, for programs that use librealsense. It speaks as librealsense expects.
No real camera has confirmed that its firmware does the same.`,
		Example: `  rs-ros-node usb-serve --device sim
  rs-ros-node usb-serve --device walk.bag --listen 0.0.0.0:3240`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.serveUSB(cmd.Context(), device, listen)
		},
	}
	cmd.Flags().StringVar(&device, "device", "sim", "camera: sim, or a recording, which repeats")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:3240", "`ADDRESS` to listen at; clients need no password")
	return cmd
}

func (a *app) serveUSB(ctx context.Context, device, listen string) (err error) {
	dev, err := openServed(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	source, err := usbserve.New(dev)
	if err != nil {
		return fmt.Errorf("serve %s: %w", device, err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	log := a.logger()
	server := &usbip.Server{
		BusID: "1-1", Log: log, Options: source.Options(),
		Gone: func() {
			if err := source.Rest(); err != nil {
				log.Warn().Err(err).Msg("stop the streams")
			}
		},
	}
	log.Info().Stringer("address", l.Addr()).Str("device", device).Msg("serving; plug it in with: usbip attach -r HOST -b 1-1")
	return server.Serve(ctx, l)
}

func openServed(device string) (camdriver.Device, error) {
	if device == "sim" {
		return sim.Open(sim.Options{})
	}
	return playback.Open(device, playback.Options{RealTime: true, Loop: true})
}
