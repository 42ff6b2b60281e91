package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rsros/camdriver/d400"
	"rsros/program"
)

func newDevicesCommand(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the RealSense cameras on USB",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.listDevices(cmd.Context(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) listDevices(ctx context.Context, asJSON bool) error {
	found, err := d400.List(ctx)
	if errors.Is(err, d400.ErrNoUSB) {
		return fmt.Errorf("%w: %w", program.ErrNoDevice, err)
	}
	if err != nil {
		return err
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
