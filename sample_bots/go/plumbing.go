package main

// Everything between a bot and the referee; you can write a bot without reading it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
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
	mostFailures = 6
	firstPause   = 200 * time.Millisecond
)

// Run plays these games, or all if none is named, over gRPC on the referee at HIGHSTREET_TARGET
// until it says goodbye.
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
	join := &pb.Join{
		Token:           os.Getenv("HIGHSTREET_TOKEN"),
		ProtocolVersion: 1,
		Games:           games,
		MaxMatches:      maxMatches,
	}
	return playOverGRPC(target, tls, join, &player{newBot: newBot, seats: map[string]*seat{}})
}

// playOverGRPC comes back after a cut connection, after longer and longer pauses.
func playOverGRPC(target string, tls credentials.TransportCredentials, join *pb.Join, p *player) error {
	for failures := 0; ; {
		heard, err := converse(target, tls, join, p)
		if heard {
			failures = 0
		}
		failures++
		switch {
		case err == nil:
			return nil
		case status.Code(err) != codes.Unavailable || failures > mostFailures:
			return err
		}
		time.Sleep(firstPause << (failures - 1))
	}
}

// converse holds one conversation, and says whether the referee spoke at all.
func converse(target string, tls credentials.TransportCredentials, join *pb.Join, p *player) (heard bool, err error) {
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(tls))
	if err != nil {
		return false, err
	}
	defer conn.Close()
	stream, err := pb.NewPlayServiceClient(conn).Play(context.Background())
	if err != nil {
		return false, err
	}
	request := &pb.PlayRequest{Message: &pb.PlayRequest_Join{Join: join}}
	for {
		if request != nil {
			// Send returns io.EOF if the stream has ended; Recv says why.
			if err := stream.Send(request); err != nil && !errors.Is(err, io.EOF) {
				return heard, err
			}
		}
		said, err := stream.Recv()
		if errors.Is(err, io.EOF) || said.GetGoodbye() != nil {
			return heard, nil
		}
		if err != nil {
			return heard, err
		}
		heard = true
		if welcome := said.GetWelcome(); welcome != nil {
			join.ResumeId = welcome.ResumeId
		}
		if request, err = p.answer(said); err != nil {
			return heard, err
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
