// Package help lays out the help of a program's commands: usage and examples first, flags in groups by task, and lines
// as long as the terminal is wide. It has no template, because cobra's engine for them adds 6 MB to a program.
package help

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Columns of a page: where there is no terminal, and at most.
const (
	Standard = 80
	Widest   = 100
)

// Screen is how many lines -h prints at most, if they are 80 columns or more.
const Screen = 40

// Titles of groups. Flags without a group are under top.
const (
	top       = "Flags"
	groupName = "group" // the annotation: a title, and a rank in the group
)

// groups are the titles, in the order in which help shows them.
var groups = []string{top, "Device", "Simulated camera", "Streams", "Topics", "Messages", "Time", "Clock", "Playback",
	"Processing", "Recording", "Ring",
	"Compression", "Disk and memory", "Upload", "Page", "Network", "Configuration", "Compatibility"}

// Use gives a program's command and its subcommands this help: -h prints the usual flags, --help all. screen is
// where it appears.
func Use(root *cobra.Command, screen io.Writer) {
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		fmt.Fprint(cmd.OutOrStdout(), Page(cmd, columns(screen), slices.Contains(args, "-h")))
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprintf(cmd.OutOrStderr(), "Usage:\n  %s\n", cmd.UseLine())
		return err
	})
}

// columns returns how many columns a page on screen has.
func columns(screen io.Writer) int {
	if f, ok := screen.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(width, Widest)
		}
	}
	return Standard
}

// global is the topic that has the flags of all commands.
const global = "global"

// Global returns the topic for the help of root about the flags of all commands, "help global".
func Global() *cobra.Command { return &cobra.Command{Use: global} }

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

// Page returns the help of a command in lines of at most width columns; only examples may be longer. If it needs more
// than a screen, a brief one has the first group of flags only.
func Page(cmd *cobra.Command, width int, brief bool) string {
	var b strings.Builder
	if cmd.Name() != global {
		b.WriteString("Usage:\n")
	}
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	text, flags, more := cmp.Or(cmd.Long, cmd.Short), Flags(cmd, width), pointers(cmd)
	if brief {
		text = cmd.Short
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		b.WriteString("\n" + fill("", paragraph, width))
	}
	b.WriteString(commands(cmd, width, brief))
	if usual, _, ok := strings.Cut(flags, "\n\n"); ok && brief && strings.Count(b.String()+flags, "\n") > Screen-3 {
		flags, more = usual+"\n", "All flags: "+cmd.CommandPath()+" --help. "+more
	}
	for _, block := range []string{flags, fill("", more, width)} {
		if strings.TrimSpace(block) != "" {
			b.WriteString("\n" + block)
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// pointers returns sentences about where there is more help.
func pointers(cmd *cobra.Command) (text string) {
	topic, _, err := cmd.Root().Find([]string{global})
	if err != nil || topic.Name() != global || topic == cmd {
		return ""
	}
	all := topic.Short
	if cmd.HasAvailableSubCommands() {
		text, all = "Flags of one: "+cmd.CommandPath()+" COMMAND -h. ", "Flags of all"
	}
	return text + all + ": " + cmd.Root().Name() + " help " + global + "."
}

// fill returns a head and a text in lines of at most width columns. All but the first are indented by the head's
// length. An indented text stays as it is.
func fill(head, text string, width int) string {
	if head == "" && strings.HasPrefix(text, " ") {
		return text + "\n"
	}
	lines, column := head, len(head)
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == len(head):
		case column+1+n > width:
			lines, column = lines+"\n"+strings.Repeat(" ", len(head)), len(head)
		default:
			lines, column = lines+" ", column+1
		}
		lines, column = lines+word, column+n
	}
	return lines + "\n"
}

// commands returns the list of subcommands, by cobra's groups. A brief one leaves out those in no group if there are
// groups.
func commands(cmd *cobra.Command, width int, brief bool) string {
	lists := map[string]string{}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			lists[c.GroupID] += fill(fmt.Sprintf("  %-12s ", c.Name()), c.Short, width)
		}
	}
	other := "Commands"
	var b strings.Builder
	for _, g := range cmd.Groups() {
		other = "Other commands"
		fmt.Fprintf(&b, "\n%s:\n%s", g.Title, lists[g.ID])
	}
	if lists[""] != "" && !(brief && len(cmd.Groups()) > 0) {
		fmt.Fprintf(&b, "\n%s:\n%s", other, lists[""])
	}
	return b.String()
}

// Flags returns the flags of a command, by groups. Those of the topic of Global are the flags of all commands.
func Flags(cmd *cobra.Command, width int) string {
	lists := map[string][]*pflag.Flag{}
	add := func(f *pflag.Flag) { // in the order of names
		title := cmp.Or(append(f.Annotations[groupName], top)[0], top)
		lists[title] = append(lists[title], f)
	}
	if cmd.Name() == global {
		cmd.InitDefaultHelpFlag()
		help := cmd.Flags().Lookup("help")
		help.Usage = "print help: -h the usual flags, --help all"
		add(help)
		cmd.Root().PersistentFlags().VisitAll(add)
	} else {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" {
				add(f)
			}
		})
	}
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
			blocks = append(blocks, title+":\n"+group.FlagUsagesWrapped(width))
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
