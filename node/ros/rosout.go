package ros

// Rosout feeds /rosout.
type Rosout struct{}

const rosoutTopic = "/rosout"
