# Plays any game at random: change choose.
use v5.36;

use FindBin;
use lib $FindBin::Bin;

use Plumbing;

# Plays one match.
package MyBot {

    sub new ($class) {
        return bless {}, $class;
    }

    # Learn the game, its options and your seat.
    sub match_started ( $self, $message ) {
        return;
    }

    # Return one of the legal moves; the decision has the view of your seat and events too.
    sub choose ( $self, $decision ) {
        my @moves = $decision->{legal_moves}->@*;
        return $moves[ rand @moves ];
    }

    # Learn the result.
    sub match_ended ( $self, $message ) {
        return;
    }
}

Plumbing::run('MyBot');
