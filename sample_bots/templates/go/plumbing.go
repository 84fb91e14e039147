package main

// Everything between a bot and the referee; you can write a bot without reading it.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

// Message is an object of JSON. Read a part of it with json.Unmarshal.
type Message map[string]json.RawMessage

// List returns the items of a list.
func (m Message) List(key string) []json.RawMessage {
	var items []json.RawMessage
	read(m[key], &items)
	return items
}

// Bot plays one match.
type Bot interface {
	MatchStarted(message Message)
	Choose(decision Message) json.RawMessage
	MatchEnded(message Message)
}

// match is a match under way.
type match struct {
	bot        Bot
	decisionID string
	move       json.RawMessage // the last answer, to repeat it if the same decision comes again
	first      json.RawMessage // the first legal move, the answer if a move is rejected
}

// run plays over standard input and output until the referee says goodbye or ends the input.
//
// Each match has a bot of its own. On SIGINT or SIGTERM the bot leaves: it asks for no more
// matches, and plays those under way to their end. A second signal ends it at once.
func run(newBot func() Bot) {
	go leaveOnSignal()
	matches := map[string]*match{}
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatalf("standard input: %v", err)
		}
		var message map[string]Message
		read(line, &message)
		if _, over := message["goodbye"]; over {
			return
		}
		if request := answer(message, matches, newBot); request != "" {
			fmt.Println(request)
		}
	}
}

// answer lets the bot of the match learn a message, and returns its answer to a decision.
func answer(message map[string]Message, matches map[string]*match, newBot func() Bot) string {
	if started, ok := message["match_started"]; ok {
		own := &match{bot: newBot()}
		matches[string(started["match"])] = own
		own.bot.MatchStarted(started)
	} else if decision, ok := message["decision"]; ok {
		own := matches[string(decision["match"])]
		if id := string(decision["decision_id"]); own.decisionID != id {
			own.decisionID, own.first = id, decision.List("legal_moves")[0]
			own.move = own.bot.Choose(decision)
		}
		return submit(decision, own.move)
	} else if rejected, ok := message["move_rejected"]; ok {
		log.Printf("rejected: %s", rejected["message"])
		return submit(rejected, matches[string(rejected["match"])].first)
	} else if ended, ok := message["match_ended"]; ok {
		matches[string(ended["match"])].bot.MatchEnded(ended)
		delete(matches, string(ended["match"]))
	}
	return ""
}

// submit returns the answer to a decision.
func submit(asked Message, move json.RawMessage) string {
	return fmt.Sprintf(`{"submit_move":{"match":%s,"decision_id":%s,"move":%s}}`,
		asked["match"], asked["decision_id"], move)
}

// leaveOnSignal leaves on the first SIGINT or SIGTERM; a second one ends the program at once.
func leaveOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	<-signals
	signal.Reset()
	fmt.Println(`{"leave":{}}`)
}

// read reads JSON, or ends the program.
func read(data []byte, value any) {
	if err := json.Unmarshal(data, value); err != nil {
		log.Fatalf("this is not JSON: %v: %s", err, data)
	}
}
