// Package help lays out the help of a program's commands: flags in groups by task, and no line
// longer than Width columns. It has no template, because cobra's engine for them adds 6 MB to a
// program.
package help

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Width is the number of columns of a page.
const Width = 100

// Titles of groups. Flags without a group are under top.
const (
	top       = "Flags"
	globals   = "Global flags"
	groupName = "group" // the annotation: a title, and a rank in the group
)

// groups are the titles, in the order in which help shows them.
var groups = []string{top, "Device", "Simulated camera", "Streams", "Topics", "Messages", "Time", "Clock", "Playback", "Processing", "Recording", "Ring",
	"Compression", "Disk and memory", "Upload", "Page", "Network", "Configuration", "Compatibility", globals}

// Use gives a program's command and its subcommands this help.
func Use(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), Page(cmd)) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprintf(cmd.OutOrStderr(), "Usage:\n  %s\n", cmd.UseLine())
		return err
	})
}

// Group puts flags into a group. It panics if one doesn't exist.
func Group(f *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		annotate(f, name, title, "")
	}
}

// First has help show flags first, in this order. It panics if one doesn't exist.
func First(f *pflag.FlagSet, names ...string) {
	for i, name := range names {
		annotate(f, name, top, fmt.Sprintf("%02d", i))
	}
}

func annotate(f *pflag.FlagSet, name string, title, rank string) {
	if !slices.Contains(groups, title) {
		panic("help: no group " + title)
	}
	if err := f.SetAnnotation(name, groupName, []string{title, rank}); err != nil {
		panic("help: " + err.Error())
	}
}

// Page returns the help of a command.
func Page(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n", cmp.Or(cmd.Long, cmd.Short))
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	b.WriteString(commands(cmd))
	fmt.Fprintf(&b, "\n%s", Flags(cmd))
	return b.String()
}

// commands returns the list of subcommands, by cobra's groups.
func commands(cmd *cobra.Command) string {
	lists := map[string]string{}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			lists[c.GroupID] += fmt.Sprintf("  %-12s %s\n", c.Name(), c.Short)
		}
	}
	other := "Commands"
	var b strings.Builder
	for _, g := range cmd.Groups() {
		other = "Other commands"
		fmt.Fprintf(&b, "\n%s:\n%s", g.Title, lists[g.ID])
	}
	if lists[""] != "" {
		fmt.Fprintf(&b, "\n%s:\n%s", other, lists[""])
	}
	return b.String()
}

// Flags returns the flags of a command, by groups.
func Flags(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = "print this help"
	lists := map[string][]*pflag.Flag{}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { // in the order of names
		title := cmp.Or(append(f.Annotations[groupName], top)[0], top)
		if f.Name == "help" {
			title = globals
		}
		lists[title] = append(lists[title], f)
	})
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { lists[globals] = append(lists[globals], f) })
	var blocks []string
	for _, title := range groups {
		slices.SortStableFunc(lists[title], func(a, b *pflag.Flag) int { return cmp.Compare(rank(a), rank(b)) })
		group := pflag.NewFlagSet("", pflag.ContinueOnError)
		group.SortFlags = false
		for _, f := range lists[title] {
			if value, usage := pflag.UnquoteUsage(f); value != "" && f.NoOptDefVal != "" {
				f = &pflag.Flag{Name: f.Name + "[=" + value + "]", Usage: usage, Value: named{f.Value}}
			}
			group.AddFlag(f)
		}
		if group.HasAvailableFlags() {
			blocks = append(blocks, title+":\n"+group.FlagUsagesWrapped(Width))
		}
	}
	return strings.Join(blocks, "\n")
}

// named is the value of a flag that may be without one, whose name has the placeholder.
type named struct{ pflag.Value }

func (named) Type() string { return "bool" } // has no placeholder

// rank returns the text by which flags of a group are sorted.
func rank(f *pflag.Flag) string {
	if a := f.Annotations[groupName]; len(a) > 1 && a[1] != "" {
		return a[1]
	}
	return "~" // after the ranks
}
