// Package dist tests the release that deploy/dist.sh makes: it installs the Debian package with dpkg, the wheel with pip and the
// archive with install.sh, and runs the program with Debian's rosrun and roslaunch. The tests take a few minutes and need the
// tag dist: make test-dist.
package dist
