package main

import (
	"fmt"

	"golang.org/x/term"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/node/record"
)

// signPassword is the environment variable with the password of the secret key.
const signPassword = "RS_SIGN_PASSWORD"

// readSignKey reads the key of --sign, if it is given.
func (a *app) readSignKey(s record.Signing, o *bagstore.Options) (err error) {
	if s.Key == "" {
		return nil
	}
	if o.Sign, err = proof.ReadKey(s.Key, a.password); err != nil {
		return usageError{err}
	}
	return nil
}

// password returns that of the secret key, from the environment or the terminal.
func (a *app) password() (string, error) {
	if word := a.env(signPassword); word != "" {
		return word, nil
	}
	in := a.raw.in
	if in == nil || !term.IsTerminal(int(in.Fd())) {
		return "", fmt.Errorf("set %s, or start the program on a terminal", signPassword)
	}
	fmt.Fprint(a.err, "Password of the secret key: ")
	word, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(a.err)
	return string(word), err
}
