// Package attack holds programs that do what an enemy would: damaged files, hostile
// peers. Seeds are fixed, so that what was found once is found again. CI runs them
// shortly; `make attack` for long.
package attack
