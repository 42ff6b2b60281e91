package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/proof"
	"rsros/bagstore/tools/verify"
)

type verifyOptions struct {
	key    string
	partOf []string
	root   string
	json   bool
}

func newVerifyCommand(a *app) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify --key KEY BAG…",
		Short: "Compare signed recordings with what was signed, and name what was changed",
		Long: `verify reads recordings made by record --sign or live --sign, and the logs next to them,
such as walk.bag.proof. If the log has a signature by the key, it compares every byte of
the recording with it, and names each chunk, message and index entry that was changed,
dropped, added or swapped. What a killed recorder wrote is proven up to its last
checkpoint; verify prints the length of the rest.

With --part-of it compares the messages of a bag that filter, split, compress, recover or
another program made from a recording. It names each message that the recording doesn't
have, and counts those that were left out in between. A bag that merge made from several
recordings needs a --part-of for each.

Exit codes: 0 nothing differs, 3 something differs, 1 not readable, no proof, or no
signature by this key.`,
		Example: `  rs-ros-node verify --key robot.pub walk.bag
  rs-ros-node verify --key robot.pub --part-of walk.bag cut.bag
  rs-ros-node verify --key robot.pub --part-of walk_0.bag --part-of walk_1.bag joined.bag
  rs-ros-node verify --key robot.pub --root walk.root walk.bag && minisign -Vm walk.root -p robot.pub`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.verify(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.key, "key", "k", "", "public `KEY` of minisign: a file, or the text of the key")
	f.StringArrayVar(&o.partOf, "part-of", nil, "`RECORDING` from which the bags were made, or its log, which is all that is read; may be repeated")
	f.StringVar(&o.root, "root", "", "write the signed root to this `FILE`, and its signature to FILE.minisig")
	f.BoolVar(&o.json, "json", false, "print JSON, one object per recording")
	return cmd
}

func (a *app) verify(ctx context.Context, paths []string, o verifyOptions) error {
	switch {
	case o.key == "":
		return usageError{errors.New("--key is missing; it names the public key")}
	case o.root != "" && (len(paths) > 1 || len(o.partOf) > 1):
		return usageError{errors.New("--root is for a single recording")}
	}
	for _, path := range slices.Concat(o.partOf, paths) {
		if path == place.Stream {
			return usageError{errors.New("verify doesn't read standard input: there is no log next to it")}
		}
	}
	key, err := proof.ReadPublicKey(o.key)
	if err != nil {
		return err
	}
	var all verdict
	for _, path := range paths {
		rep, err := a.verifyOne(ctx, path, key, o)
		if ctx.Err() != nil {
			return errInterrupted
		}
		outcome := bagstore.Unreadable
		if err != nil {
			fmt.Fprintf(a.err, "%v\n", err)
		} else {
			if outcome = bagstore.Sound; !rep.Same() {
				outcome = bagstore.Damaged
			}
			if err := printVerified(a.out, rep, o.json); err != nil {
				return err
			}
		}
		all.add(path, outcome)
	}
	return all.err("not as signed", "not verified")
}

func (a *app) verifyOne(ctx context.Context, path string, key proof.PublicKey, o verifyOptions) (*verify.Report, error) {
	report, done := a.progress(path, false)
	defer done()
	vo := verify.Options{Key: key, Progress: report}
	if o.root != "" {
		log := path
		if len(o.partOf) > 0 {
			log = o.partOf[0]
		}
		if err := verify.WriteRoot(ctx, verify.LogOf(log), o.root, key); err != nil {
			return nil, err
		}
	}
	if len(o.partOf) == 0 {
		return verify.File(ctx, path, vo)
	}
	for _, of := range o.partOf {
		vo.Logs = append(vo.Logs, verify.LogOf(of))
	}
	return verify.Part(ctx, path, vo)
}

func printVerified(w io.Writer, r *verify.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	result := "as signed"
	switch n := uint64(len(r.Differences)) + r.More; n {
	case 0:
	case 1:
		result = "1 difference"
	default:
		result = fmt.Sprintf("%d differences", n)
	}
	of := fmt.Sprintf("in %d chunks", r.Chunks)
	if r.Part {
		of = "of " + r.Recording
	}
	fmt.Fprintf(w, "%s: %s, %d messages %s", r.Path, result, r.Messages, of)
	fmt.Fprintf(w, ", key %s, %s\n", r.Key, r.Signed.UTC().Format(time.RFC3339))
	for _, recording := range r.Open {
		fmt.Fprintf(w, "  note: %s wasn't ended; it is proven up to its last checkpoint\n", recording)
	}
	if r.Unproven > 0 {
		fmt.Fprintf(w, "  note: the last %d bytes are not proven\n", r.Unproven)
	}
	if r.UnprovenMessages > 0 {
		fmt.Fprintf(w, "  note: %d messages after that are not proven\n", r.UnprovenMessages)
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(w, "  note: %d messages of its topics were left out between its first and its last one\n", r.LeftOut)
	}
	if r.Note != "" {
		fmt.Fprintf(w, "  note: %s\n", r.Note)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(w, "  %v\n", d)
	}
	if r.More > 0 {
		fmt.Fprintf(w, "  and %d more\n", r.More)
	}
	return nil
}
