package proof

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"aead.dev/minisign"

	"rsros/program/regular"
)

// Key is a secret key of minisign.
type Key struct{ private minisign.PrivateKey }

// PublicKey is a public key of minisign.
type PublicKey struct{ public minisign.PublicKey }

// String returns the key's ID, as minisign prints it.
func (k PublicKey) String() string { return fmt.Sprintf("%016X", k.public.ID()) }

// maxKey bounds key files.
const maxKey = 4 << 10

// ErrPassword means that a key couldn't be decrypted.
var ErrPassword = errors.New("wrong password, or the key is damaged")

// ReadKey reads a secret key that minisign -G or -G -W made. password is called if the key is encrypted.
// Decrypting takes a second and 1 GiB of memory, as minisign itself does.
func ReadKey(path string, password func() (string, error)) (*Key, error) {
	text, err := readKey(path)
	if err != nil {
		return nil, fmt.Errorf("read the secret key: %w", err)
	}
	return parseKey(path, text, password)
}

func parseKey(path string, text []byte, password func() (string, error)) (k *Key, err error) {
	k = new(Key)
	if !minisign.IsEncrypted(text) {
		if err = k.private.UnmarshalText(text); err != nil {
			return nil, fmt.Errorf("read the secret key %s: %w", path, err)
		}
		return k, nil
	}
	word, err := password()
	if err != nil {
		return nil, fmt.Errorf("read the password of the secret key %s: %w", path, err)
	}
	if k.private, err = minisign.DecryptKey(word, text); err != nil {
		return nil, fmt.Errorf("decrypt the secret key %s: %w", path, ErrPassword)
	}
	return k, nil
}

// readKey returns a key without the lines that minisign puts around it.
func readKey(path string) ([]byte, error) {
	text, err := regular.Read(path, maxKey)
	return bytes.TrimSpace(text), err
}

// Public returns the key's public half.
func (k *Key) Public() PublicKey { return PublicKey{k.private.Public().(minisign.PublicKey)} }

// ReadPublicKey reads a public key: a file that minisign -G made, or the key itself, as for minisign -P.
func ReadPublicKey(name string) (PublicKey, error) {
	var k PublicKey
	if strings.HasPrefix(name, "RW") && k.public.UnmarshalText([]byte(name)) == nil {
		return k, nil
	}
	text, err := readKey(name)
	if err == nil {
		err = k.public.UnmarshalText(text)
	}
	if err != nil {
		return PublicKey{}, fmt.Errorf("read the public key %s: %w", name, err)
	}
	return k, nil
}

// sign returns a signature in the format of minisign, of the text's BLAKE2b hash.
func (k *Key) sign(text []byte, comment string) []byte {
	r := minisign.NewReader(bytes.NewReader(text))
	_, _ = io.Copy(io.Discard, r) // reading from memory doesn't fail
	return append(r.SignWithComments(k.private, comment, "signature from rs-ros-node"), '\n')
}

// verify reports whether a signature is one of text by the key.
func (k PublicKey) verify(text, signature []byte) bool {
	return minisign.Verify(k.public, text, bytes.TrimSuffix(signature, []byte("\n")))
}
