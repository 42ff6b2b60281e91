// Package websocket is the server's side of the WebSocket protocol (RFC 6455): it
// turns an HTTP request into a connection that carries messages both ways.
//
// In: a request and what the client sends. Out: whole messages of the client, and
// whatever the caller sends, straight from the caller's own buffers.
//
// [Conn.Write] sends the parts of a message with one writev and copies none of them,
// so that an image goes to any number of clients from the memory that the camera
// filled. The parts are the caller's again when Write returns. A message that
// [Conn.Read] returns belongs to the connection and is valid until the next Read.
//
// One goroutine may read while others write, ping and close; Read itself can't be
// called concurrently. Read answers pings and the client's close, so the caller has
// to read even if it expects no messages. The package starts no goroutine.
//
// It offers no extension, so messages aren't compressed, and it sends no fragments.
//
// docs/decisions/0012-own-websocket.md says why no library is used. gobwas/ws comes
// closest, but its reader bounds frames and not messages, and writing, closing and
// deadlines would be ours all the same.
package websocket
