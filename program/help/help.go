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
	lists := map[string][]line{}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			lists[c.GroupID] = append(lists[c.GroupID], line{"  " + c.Name(), c.Short})
		}
	}
	other := "Commands"
	var b strings.Builder
	for _, g := range cmd.Groups() {
		other = "Other commands"
		fmt.Fprintf(&b, "\n%s:\n%s", g.Title, table(lists[g.ID], column))
	}
	if len(lists[""]) > 0 {
		fmt.Fprintf(&b, "\n%s:\n%s", other, table(lists[""], column))
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
		var lines []line
		for _, f := range lists[title] {
			if !f.Hidden {
				lines = append(lines, flagLine(f))
			}
		}
		if len(lines) > 0 {
			blocks = append(blocks, title+":\n"+table(lines, flagColumn))
		}
	}
	return strings.Join(blocks, "\n")
}

// rank returns the text by which flags of a group are sorted.
func rank(f *pflag.Flag) string {
	if a := f.Annotations[groupName]; len(a) > 1 && a[1] != "" {
		return a[1]
	}
	return "~" // after the ranks
}

func flagLine(f *pflag.Flag) line {
	value, usage := pflag.UnquoteUsage(f)
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	switch {
	case value == "":
	case f.NoOptDefVal != "":
		name += "[=" + value + "]"
	default:
		name += " " + value
	}
	if !slices.Contains([]string{"", "false", "0", "[]", "0s"}, f.DefValue) {
		usage += " (default " + strings.Trim(f.DefValue, "[]") + ")"
	}
	return line{name, usage}
}

// line is a name and what it means.
type line struct{ name, text string }

// Columns in which texts begin.
const (
	column     = 14
	flagColumn = 30
)

// table lays out lines. The text of a name that reaches into the column begins on the next line.
func table(lines []line, column int) string {
	var b strings.Builder
	for _, l := range lines {
		at := len([]rune(l.name))
		b.WriteString(l.name)
		if at > column-2 {
			b.WriteByte('\n')
			at = 0
		}
		for i, words := range wrap(l.text, Width-column) {
			if i > 0 {
				at = 0
			}
			b.WriteString(strings.Repeat(" ", column-at) + words + "\n")
		}
	}
	return b.String()
}

// wrap breaks a text into lines of at most width columns, if no word is longer.
func wrap(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len([]rune(lines[last]))+1+len([]rune(word)) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
