package place

// private does nothing: the folder for temporary files is a user's own.
func private(string) error { return nil }
