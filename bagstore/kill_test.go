package bagstore

func recordUntilKilled(string) {}
