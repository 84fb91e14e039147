package main

// Everything between a bot and the referee; you can write a bot without reading it.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "example.com/bot/gen/highstreetv1"
)

// Bot plays one match.
type Bot interface {
	// MatchStarted tells the game, its options and your seat.
	MatchStarted(message *pb.MatchStarted)
	// Choose returns one of the legal moves of a decision.
	Choose(decision *pb.Decision) *pb.Move
	// MatchEnded tells the result.
	MatchEnded(message *pb.MatchEnded)
}

// Base does nothing at the start and the end of a match. A bot embeds it and writes what it needs.
type Base struct{}

// MatchStarted ignores the game, its options and your seat.
func (Base) MatchStarted(*pb.MatchStarted) {}

// MatchEnded ignores the result.
func (Base) MatchEnded(*pb.MatchEnded) {}

const (
	firstTries   = 6   // how often to dial again where no referee was ever reached: for 12 seconds
	defaultTries = 300 // how often to dial again once one was reached: for about an hour
	firstPause   = 200 * time.Millisecond
	mostDoubled  = 6 // how often the pause is doubled
)

// Run plays these games, or all if none is named, over gRPC on the referee at HIGHSTREET_TARGET
// until it says goodbye. On SIGINT or SIGTERM the bot leaves: it plays its matches to their end and
// waits for the goodbye. A second signal ends it at once.
func Run(newBot func() Bot, maxMatches int32, games ...string) error {
	target := os.Getenv("HIGHSTREET_TARGET")
	if target == "" {
		return errors.New("HIGHSTREET_TARGET is not set: give the referee's address, such as localhost:50051")
	}
	tls := insecure.NewCredentials()
	if ca := os.Getenv("HIGHSTREET_CA"); ca != "" {
		var err error
		if tls, err = credentials.NewClientTLSFromFile(ca, ""); err != nil {
			return fmt.Errorf("HIGHSTREET_CA: %w", err)
		}
	}
	tries := defaultTries
	if text := os.Getenv("HIGHSTREET_TRIES"); text != "" {
		var err error
		if tries, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("HIGHSTREET_TRIES: %w", err)
		}
	}
	join := &pb.Join{
		Token:           os.Getenv("HIGHSTREET_TOKEN"),
		ProtocolVersion: 1,
		BotVersion:      botVersion(),
		Games:           games,
		MaxMatches:      maxMatches,
	}
	leave, restore := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(leave, restore) // so that a second signal ends the program
	s := &session{target: target, tls: tls, join: join, leave: leave}
	s.player = player{newBot: newBot, seats: map[string]*seat{}}
	return s.play(tries)
}

// botVersion returns HIGHSTREET_BOT_VERSION, or a hash of the executable.
func botVersion() string {
	if version := os.Getenv("HIGHSTREET_BOT_VERSION"); version != "" {
		return version
	}
	path, err := os.Executable()
	if err == nil {
		var program []byte
		if program, err = os.ReadFile(path); err == nil {
			return fmt.Sprintf("%x", sha256.Sum256(program))[:12]
		}
	}
	log.Print("the version of this bot is unknown: set HIGHSTREET_BOT_VERSION; ", err)
	return ""
}

// A session is what outlives a connection.
type session struct {
	target string
	tls    credentials.TransportCredentials
	join   *pb.Join
	leave  context.Context // done when a signal has asked the bot to leave
	player player
}

// play converses until the referee says goodbye, and dials again after a cut connection.
func (s *session) play(tries int) error {
	for failures, most := 0, firstTries; ; {
		heard, err := s.converse()
		if heard {
			failures, most = 0, tries
		}
		failures++
		switch {
		case err == nil:
			return nil
		case !isCut(status.Code(err)) || failures > most:
			return err
		}
		s.pause(firstPause << min(failures-1, mostDoubled))
		if s.leave.Err() != nil {
			if len(s.player.seats) == 0 {
				return nil // there is no match to come back for
			}
			most = min(most, firstTries)
		}
	}
}

// isCut returns whether a status is what a cut connection looks like.
func isCut(code codes.Code) bool {
	return code == codes.Unavailable || code == codes.Internal
}

// pause waits before the next dial; not if the bot leaves and has no match under way.
func (s *session) pause(duration time.Duration) {
	leaving := s.leave.Done()
	if s.leave.Err() != nil && len(s.player.seats) > 0 {
		leaving = nil
	}
	select {
	case <-time.After(duration):
	case <-leaving:
	}
}

// converse holds one conversation, and says whether the referee spoke at all.
func (s *session) converse() (heard bool, err error) {
	conn, err := grpc.NewClient(s.target, grpc.WithTransportCredentials(s.tls))
	if err != nil {
		return false, err
	}
	defer conn.Close()
	stream, err := pb.NewPlayServiceClient(conn).Play(context.Background())
	if err != nil {
		return false, err
	}
	var sending sync.Mutex
	send := func(request *pb.PlayRequest) error {
		sending.Lock()
		defer sending.Unlock()
		// Send returns io.EOF if the stream has ended; Recv says why.
		if err := stream.Send(request); !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	}
	if err := send(&pb.PlayRequest{Message: &pb.PlayRequest_Join{Join: s.join}}); err != nil {
		return false, err
	}
	stop := context.AfterFunc(s.leave, func() {
		_ = send(&pb.PlayRequest{Message: &pb.PlayRequest_Leave{Leave: &pb.Leave{}}})
	})
	defer stop()
	for {
		said, err := stream.Recv()
		if errors.Is(err, io.EOF) || said.GetGoodbye() != nil {
			return heard, nil
		}
		if err != nil {
			return heard, err
		}
		heard = true
		if welcome := said.GetWelcome(); welcome != nil {
			s.join.ResumeId = welcome.ResumeId
		}
		request, err := s.player.answer(said)
		if err != nil {
			return heard, err
		}
		if request != nil {
			if err := send(request); err != nil {
				return heard, err
			}
		}
	}
}

// A player has a bot for each match, by the id of the match.
type player struct {
	newBot func() Bot
	seats  map[string]*seat
}

// A seat is a bot and what it said last.
type seat struct {
	bot       Bot
	asked     *pb.Decision
	submitted *pb.PlayRequest // the last answer, to repeat it if the connection broke
}

// answer returns what to say to the referee, or nil for nothing.
func (p *player) answer(said *pb.PlayResponse) (*pb.PlayRequest, error) {
	switch said := said.Message.(type) {
	case *pb.PlayResponse_MatchStarted:
		// After a cut it may come again, and then all events do: begin anew.
		s := &seat{bot: p.newBot()}
		p.seats[said.MatchStarted.Match] = s
		s.bot.MatchStarted(said.MatchStarted)
	case *pb.PlayResponse_Decision:
		decision := said.Decision
		s, ok := p.seats[decision.Match]
		if !ok {
			return nil, fmt.Errorf("decision %d of match %q, which never started", decision.DecisionId, decision.Match)
		}
		if s.asked.GetDecisionId() != decision.DecisionId {
			s.asked = decision
			s.submit(s.bot.Choose(decision))
		}
		return s.submitted, nil
	case *pb.PlayResponse_MoveRejected:
		rejected := said.MoveRejected
		log.Print("rejected: ", rejected.Message)
		s, ok := p.seats[rejected.Match]
		if ok && s.asked.GetDecisionId() == rejected.DecisionId {
			s.submit(s.asked.LegalMoves[0]) // the clock goes on, and this one is legal
			return s.submitted, nil
		}
	case *pb.PlayResponse_MatchEnded:
		ended := said.MatchEnded
		if s, ok := p.seats[ended.Match]; ok {
			s.bot.MatchEnded(ended)
			delete(p.seats, ended.Match)
		}
	}
	return nil, nil
}

// submit makes a move the answer to the decision that was asked last.
func (s *seat) submit(move *pb.Move) {
	s.submitted = &pb.PlayRequest{Message: &pb.PlayRequest_SubmitMove{SubmitMove: &pb.SubmitMove{
		Match:      s.asked.Match,
		DecisionId: s.asked.DecisionId,
		Move:       move,
	}}}
}
