package help

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// Describe gives a command and its subcommands their texts, which are files in the folder help: record.txt, and
// catalog-merge.txt for the subcommand merge of catalog. The first line of a file is the short text. The long one may
// follow after an empty line, and examples after a line "Examples:". It panics if a file is missing.
func Describe(cmd *cobra.Command, texts fs.FS) {
	for _, c := range cmd.Commands() {
		Describe(c, texts)
	}
	name := strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), " ", "-")
	text, err := fs.ReadFile(texts, "help/"+name+".txt")
	if err != nil {
		panic(fmt.Sprintf("help: %v", err))
	}
	rest := ""
	cmd.Short, rest, _ = strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	cmd.Long, cmd.Example, _ = strings.Cut(strings.TrimPrefix(rest, "\n"), "\n\nExamples:\n")
}
