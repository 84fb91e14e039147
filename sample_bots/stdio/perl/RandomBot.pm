# Answers every decision of any game with a random legal move.
#
# The environment variable BOT_SEED makes it repeatable.
package RandomBot;

use v5.36;

use Digest::SHA qw(sha256);

sub new ($class) {
    my $seed = $ENV{BOT_SEED};
    srand unpack 'N', sha256($seed) if defined $seed;
    return bless {}, $class;
}

# Return any legal move.
sub choose ( $self, $decision ) {
    my $moves = $decision->{legal_moves};
    return $moves->[ rand @$moves ];
}

1;
