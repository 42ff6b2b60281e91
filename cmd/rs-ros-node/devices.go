package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rsros/bagstore/place"
	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/usb"
	"rsros/program"
	"rsros/program/localfile"
)

type devicesOptions struct {
	d400.ReportOptions
	json, report, overwrite bool
	out                     string
}

func newDevicesCommand(a *app) *cobra.Command {
	var o devicesOptions
	cmd, f := newCommand("devices", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		switch {
		case o.report && o.json:
			return usage("--json lists cameras, --report writes a file: use one of them")
		case !o.report && (o.out != "" || o.Port != "" || o.Mask || o.overwrite):
			return usage("-o, --port, --mask-serials and --overwrite need --report")
		case o.report && o.out == "":
			return usage("--report needs -o, the file to write: devices --report -o camera.txt")
		case o.report:
			return a.reportDevice(ctx, o)
		}
		return a.listDevices(ctx, o.json)
	})
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.report, "report", false, "write a report of a camera, a text file, to -o")
	outputFlag(f, &o.out, "`FILE` for the report")
	f.StringVar(&o.Port, "port", "", "`PORT` of the camera for --report, such as 2-1.4; needed if there are several")
	f.BoolVar(&o.Mask, "mask-serials", false, "replace the serial numbers in the report")
	overwriteFlag(f, &o.overwrite, "replace the report if it exists")
	return cmd
}

// noDevice tells that there is no camera, or that this build can't find one.
func noDevice(err error) error {
	if errors.Is(err, usb.ErrNoUSB) || errors.Is(err, camdriver.ErrNotFound) {
		return fmt.Errorf("%w: %w", program.ErrNoDevice, err)
	}
	return err
}

func (a *app) reportDevice(ctx context.Context, o devicesOptions) error {
	if err := place.Free(ctx, o.out, o.overwrite); err != nil {
		return err
	}
	o.By, o.Log = "rs-ros-node "+program.Version+" on "+system(), a.logger()
	o.Kernel = func() (string, error) { return kernelLog(ctx) }
	text, summary, err := d400.Report(ctx, o.ReportOptions)
	if err != nil {
		return noDevice(err)
	}
	err = place.Write(ctx, o.out, o.overwrite, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
	if err == nil {
		fmt.Fprintf(a.out, "%s: %s\n", o.out, summary)
	}
	return err
}

// kernelLog returns what dmesg prints, on many systems only for root.
func kernelLog(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "dmesg").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("dmesg: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// system returns the operating system and, on Linux, the kernel's version.
func system() string {
	const longest = 256
	kernel, _ := localfile.Read("/proc/sys/kernel/osrelease", longest)
	return strings.TrimSpace(runtime.GOOS + "/" + runtime.GOARCH + " " + string(kernel))
}

func (a *app) listDevices(ctx context.Context, asJSON bool) error {
	found, err := d400.List(ctx)
	if err != nil {
		return noDevice(err)
	}
	if asJSON {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		return enc.Encode(found)
	}
	if len(found) == 0 {
		fmt.Fprintln(a.err, "no RealSense camera on USB; --device sim is a simulated one")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSERIAL\tFIRMWARE\tPORT\tUSB\tSTATE")
	for _, d := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", d.Name, d.Serial, d.Firmware, d.Port, d.USB, d.State)
	}
	return w.Flush()
}
