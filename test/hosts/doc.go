// Package hosts tests a graph whose nodes are on several machines, as stock ROS and the program's users have it: a
// master, a camera, a recorder and others on addresses of their own, with links that are slow, lose packets or are
// cut, and with machines that hang. The machines are network namespaces, whose links are carried by the test itself,
// so nothing of it is seen outside. A disk that fills is a small one in a mount namespace. The tests take a minute or two
// and need root and the tag hosts: make test-hosts.
package hosts
