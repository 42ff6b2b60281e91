package main

import "strings"

// replacedCommands are commands of rosbag that aren't supported, with alternatives.
var replacedCommands = map[string]string{
	"fix":     "messages are copied and played with the definitions they were recorded with; to migrate them, use rosbag fix with rules",
	"encrypt": "encrypt whole files with gpg or age, or the file system",
	"decrypt": "encrypted bags can't be read; use rosbag decrypt",
}

// migrationFlags are flags of rosbag check, which looks for changed types, not for damage.
var migrationFlags = strings.Fields("genrules g append a noplugins n")
