package help

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestPage checks a page with groups, wrapped texts and a long name, for a terminal of any width.
func TestPage(t *testing.T) {
	root := &cobra.Command{Use: "tool", Short: "Do things"}
	root.PersistentFlags().Bool("loud", false, "print more")
	cmd := &cobra.Command{Use: "cut IN", Short: "Cut", Long: "cut cuts\nwhat it is given.\n\n  as it stands", Example: "  tool cut x", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(cmd, Global())
	root.CompletionOptions.DisableDefaultCmd = true
	Use(root, nil)
	f := cmd.Flags()
	f.StringP("output", "o", "", "`FILE` to write")
	f.Int("few", 3, "`N` things")
	f.String("a-name-of-many-letters", "", "`PREFIX` "+strings.TrimSpace(strings.Repeat("of many words ", 8)))
	f.Bool("first", false, "do it first")
	f.Bool("unseen", false, "")
	_ = f.MarkHidden("unseen")
	f.String("page", "", "serve at `ADDR`")
	f.Lookup("page").NoOptDefVal = "x"
	First(f, "page", "first")
	Group(f, "Time", "few")
	want := `Usage:
  tool cut IN [flags]

Examples:
  tool cut x

cut cuts what it is given.

  as it stands

Flags:
      --page[=ADDR]                     serve at ADDR
      --first                           do it first
      --a-name-of-many-letters PREFIX   PREFIX of many words of many words
                                        of many words of many words of
                                        many words of many words of many
                                        words of many words
  -o, --output FILE                     FILE to write

Time:
      --few N   N things (default 3)

Flags of all commands: tool help global.
`
	root.Commands()[1].Short = "Flags of all commands"
	for _, c := range []struct {
		args, want string
	}{
		{"cut --help", want},
		{"help cut", want},
		{"cut -h", strings.Replace(want, "cut cuts what it is given.\n\n  as it stands", "Cut", 1)},
		{"help global", `Flags of all commands

Flags:
  -h, --help   print help: -h the usual flags, --help all
      --loud   print more
`},
		{"-h", `Usage:
  tool COMMAND

Do things

Commands:
  cut          Cut

Flags of one: tool COMMAND -h. Flags of all: tool help global.
`},
	} {
		var out strings.Builder
		root.SetOut(&out)
		root.SetArgs(strings.Fields(c.args))
		root.InitDefaultHelpCmd()
		if err := root.Execute(); err != nil || out.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.args, err, out.String(), c.want)
		}
	}
}
