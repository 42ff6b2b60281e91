// Package hosts tests a graph whose nodes are on several machines: a master, a camera, a recorder and others, each with
// an address, with links that are slow, lose packets or are cut, and with machines that hang. The machines are network
// namespaces, whose links the test itself carries, so nothing is visible outside. A disk that fills is a small one in a
// mount namespace. The tests take a minute or two and need root and the tag hosts: make test-hosts.
package hosts
