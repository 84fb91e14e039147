# Everything between a bot and the referee; you can write a bot without reading it.
package Plumbing;

use v5.36;

use JSON::PP ();

my $json = JSON::PP->new->utf8;

# Play over standard input and output, with a bot of the class for each match, until the referee says
# goodbye or ends the input. On SIGINT or SIGTERM the bot leaves: it asks for no more matches, and
# plays those under way to their end. A second signal ends it at once.
sub run ($class) {
    open my $out, '>&', \*STDOUT or die "standard output: $!\n";
    $out->autoflush;
    select STDERR;    # so that a bot may print what it thinks
    $| = 1;
    binmode STDERR, ':encoding(UTF-8)';
    my $leave = sub {
        $SIG{INT} = $SIG{TERM} = 'DEFAULT';    # for a second signal
        syswrite $out, qq({"leave":{}}\n) or die "standard output: $!\n";
    };
    local $SIG{INT}  = $leave;
    local $SIG{TERM} = $leave;
    my %bots;
    while ( my $line = <STDIN> ) {
        my $said = eval { $json->decode($line) };
        if ( !$said ) {
            print "this line is not JSON: $line";
            exit 1;
        }
        last if $said->{goodbye};
        my $request = _answer( $said, \%bots, $class ) or next;
        print {$out} $json->encode($request), "\n";
    }
    return;
}

sub _answer ( $said, $bots, $class ) {
    if ( my $started = $said->{match_started} ) {
        my $bot = $bots->{ $started->{match} } = $class->new;
        $bot->match_started($started) if $bot->can('match_started');
    }
    elsif ( my $asked = $said->{decision} ) {
        my $bot  = $bots->{ $asked->{match} } //= $class->new;
        my $last = $bot->{submitted};    # to repeat it if the same decision comes again
        if ( !$last || $last->{decision_id} != $asked->{decision_id} ) {
            my $move = $bot->choose($asked);
            $bot->{submitted} = { $asked->%{qw(match decision_id)}, move => $move };
            $bot->{first}     = $asked->{legal_moves}[0];    # the answer if a move is rejected
        }
        return { submit_move => $bot->{submitted} };
    }
    elsif ( my $rejected = $said->{move_rejected} ) {
        say "rejected: $rejected->{message}";
        my $bot = $bots->{ $rejected->{match} } or return;
        $bot->{submitted}{move} = $bot->{first};
        return { submit_move => $bot->{submitted} };
    }
    elsif ( my $ended = $said->{match_ended} ) {
        my $bot = delete $bots->{ $ended->{match} };
        $bot->match_ended($ended) if $bot && $bot->can('match_ended');
    }
    return;
}

1;
