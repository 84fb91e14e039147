// Command bot plays on a Highstreet referee, at random or greedily.
package main

import (
	"fmt"
	"log"
	"os"
)

// The messages are in gen/. If the protocol changes, `go generate` makes them anew; it needs protoc.
//
//go:generate go build -o build/ tool
//go:generate protoc --proto_path=../../proto --plugin=build/protoc-gen-go --plugin=build/protoc-gen-go-grpc --go_out=. --go-grpc_out=. --go_opt=module=example.com/bot --go-grpc_opt=module=example.com/bot --go_opt=Mhighstreet/v1/play.proto=example.com/bot/gen/highstreetv1 --go_opt=Mhighstreet/v1/glastonbury.proto=example.com/bot/gen/highstreetv1 --go_opt=Mhighstreet/v1/kupferkessel.proto=example.com/bot/gen/highstreetv1 --go_opt=Mhighstreet/v1/gargon.proto=example.com/bot/gen/highstreetv1 --go_opt=Mhighstreet/v1/festo.proto=example.com/bot/gen/highstreetv1 --go-grpc_opt=Mhighstreet/v1/play.proto=example.com/bot/gen/highstreetv1 --go-grpc_opt=Mhighstreet/v1/glastonbury.proto=example.com/bot/gen/highstreetv1 --go-grpc_opt=Mhighstreet/v1/kupferkessel.proto=example.com/bot/gen/highstreetv1 --go-grpc_opt=Mhighstreet/v1/gargon.proto=example.com/bot/gen/highstreetv1 --go-grpc_opt=Mhighstreet/v1/festo.proto=example.com/bot/gen/highstreetv1 highstreet/v1/play.proto highstreet/v1/glastonbury.proto highstreet/v1/kupferkessel.proto highstreet/v1/gargon.proto highstreet/v1/festo.proto

const (
	usage      = "usage: bot [random | greedy | shuffle SEED_HEX N]"
	maxMatches = 16
)

func main() {
	log.SetFlags(0)
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"random"}
	}
	var err error
	switch {
	case args[0] == "random" && len(args) == 1:
		err = Run(NewRandomBot, maxMatches)
	case args[0] == "greedy" && len(args) == 1:
		err = Run(NewGreedyBot, maxMatches, greedyGames...)
	case args[0] == "shuffle" && len(args) == 3:
		err = printShuffle(os.Stdout, args[1], args[2])
	default:
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		log.Fatal(err)
	}
}
