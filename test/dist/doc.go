// Package dist tests what is released (deploy/dist) as its users get it: it installs the Debian package with dpkg and
// runs it with Debian's rosrun and roslaunch. The tests take a few minutes and need the tag dist: make test-dist.
package dist
