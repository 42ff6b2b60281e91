package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// debianPackage writes a .deb with the program, its documents, and the files for rosrun, roslaunch, udev and systemd.
func (r *release) debianPackage(p platform, program, documents string) error {
	contents, err := r.contents(program, documents)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "rs-ros-node", Arch: p.debian, Platform: "linux", Version: r.version, MTime: r.time,
		Section: "science", Priority: "optional", License: "Apache-2.0",
		Maintainer: "the rs-ros-node authors <rs-ros-node@users.noreply.github.com>",
		Description: "publish, record and replay RealSense cameras in ROS 1\n" +
			"One static program that publishes a camera as ROS 1 topics, records it into bags\n" +
			"that are always playable, and plays any ROS 1 bag. This build has no USB driver.",
		Overridables: nfpm.Overridables{
			Contents:   contents,
			Suggests:   []string{"ros-core", "rviz"},
			Recommends: []string{"bash-completion"},
			Umask:      0o022,
		},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	if err := nfpm.Validate(info); err != nil {
		return err
	}
	return create(filepath.Join(r.out, deb.Default.ConventionalFileName(info)), func(w io.Writer) error {
		return deb.Default.Package(info, w)
	})
}

// Debian's folders.
const (
	share   = "/usr/share/rs_ros_node/" // a ROS package
	manual  = "/usr/share/man/man1/"
	doc     = "/usr/share/doc/rs-ros-node/"
	bash    = "/usr/share/bash-completion/completions/"
	zsh     = "/usr/share/zsh/vendor-completions/"
	fish    = "/usr/share/fish/vendor_completions.d/"
	udev    = "/usr/lib/udev/rules.d/"
	systemd = "/usr/lib/systemd/system/"
)

// contents returns the package's files. Debian requires compressed manual pages and changelogs.
func (r *release) contents(program, documents string) (files.Contents, error) {
	var list files.Contents
	add := func(from, to string, mode fs.FileMode) {
		list = append(list, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{
			Mode: mode, MTime: r.time, Owner: "root", Group: "root",
		}})
	}
	add(program, "/usr/bin/rs-ros-node", 0o755)
	// rosrun, roslaunch and launch/drop-in.sh look here.
	list = append(list, &files.Content{Source: "/usr/bin/rs-ros-node", Destination: share + "bin/rs-ros-node", Type: files.TypeSymlink})
	add(r.source("package.xml"), share+"package.xml", 0o644)
	for _, pattern := range []string{"*.launch", "*.rviz", "drop-in.sh", "includes/*.xml"} {
		found, err := filepath.Glob(r.source("launch/" + pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			mode := fs.FileMode(0o644)
			if filepath.Ext(name) == ".sh" {
				mode = 0o755
			}
			rel, err := filepath.Rel(r.root, name)
			if err != nil {
				return nil, err
			}
			add(name, share+filepath.ToSlash(rel), mode)
		}
	}
	add(r.source("launch/udev/60-realsense-rs-ros-node.rules"), udev+"60-realsense-rs-ros-node.rules", 0o644)
	add(r.source("deploy/systemd/rs-ros-node-record.service"), systemd+"rs-ros-node-record.service", 0o644)
	add(r.source("deploy/systemd/record.conf"), "/etc/rs-ros-node/record.conf", 0o644)
	list[len(list)-1].Type = files.TypeConfigNoReplace
	add(filepath.Join(documents, "completions/rs-ros-node"), bash+"rs-ros-node", 0o644)
	add(filepath.Join(documents, "completions/_rs-ros-node"), zsh+"_rs-ros-node", 0o644)
	add(filepath.Join(documents, "completions/rs-ros-node.fish"), fish+"rs-ros-node.fish", 0o644)
	add(r.source("README.md"), doc+"README.md", 0o644)
	add(r.source("LICENSE"), doc+"copyright", 0o644)
	add(filepath.Join(documents, licensesFile), doc+licensesFile, 0o644)

	pages, err := filepath.Glob(filepath.Join(documents, "man", "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		if err := pack(page, page+".gz"); err != nil {
			return nil, err
		}
		add(page+".gz", manual+filepath.Base(page)+".gz", 0o644)
	}
	changes := filepath.Join(r.work, "changelog.gz")
	if err := pack(r.source("CHANGELOG.md"), changes); err != nil {
		return nil, err
	}
	add(changes, doc+"changelog.gz", 0o644)
	return list, nil
}

func (r *release) source(name string) string { return filepath.Join(r.root, name) }

// pack compresses a file.
func pack(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return create(to, func(w io.Writer) error {
		return compress(w, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	})
}
