# Plays Glastonbury greedily; the same bot exists in other languages and chooses the same moves.
#
# Its steps are specified at the top of sample_bots/python/greedy_glastonbury.py. Cards, colours,
# tasks and cells are the numbers of the protocol; ingredients count from 0 (Ya) to 17 (Sb). What
# things are worth is counted in half points and always whole.
package GreedyBot;

use v5.36;

use List::Util qw(all max sum0);

use constant { IMMUTO => 73, ACCIO => 74, DECLINATIO => 75, PERLUCEO => 76, VANESCO => 77 };

my %GAINS = ( IMMUTO, 12, ACCIO, 2, DECLINATIO, 8, PERLUCEO, 0 );

# The cells that each stop faces; none at a corner.
my @COLUMNS = map { [ $_, $_ + 6, $_ + 12, $_ + 18, $_ + 24, $_ + 30 ] } 1 .. 4;
my @ROWS    = map { [ 6 * $_ .. 6 * $_ + 5 ] } 1 .. 4;
my @LINES   = ( [], @COLUMNS, [], @ROWS, [], reverse(@COLUMNS), [], reverse(@ROWS) );

# The numbers of the names in the protocol.
my @INGREDIENTS      = map { ( "${_}A", "${_}B" ) } qw(Y G R B O P W N S);
my @INGREDIENT_CARDS = map { ( "${_}1", "${_}2", "${_}3", "${_}4" ) } @INGREDIENTS;
my @OTHER_CARDS      = qw(IMMUTO ACCIO DECLINATIO PERLUCEO VANESCO);
my %CARD             = _numbered( 'CARD',       @INGREDIENT_CARDS, @OTHER_CARDS );
my %INGREDIENT       = _numbered( 'INGREDIENT', @INGREDIENTS );
my %COLOUR = _numbered( 'COLOUR', qw(YELLOW GREEN RED BLUE ORANGE PURPLE WHITE BROWN GREY) );

sub _numbered ( $prefix, @names ) {
    unshift @names, 'UNSPECIFIED';
    return map { ( "${prefix}_$names[$_]" => $_ ) } 0 .. $#names;
}

# Return the ingredient of a card.
sub ingredient ($card) {
    return int( ( $card - 1 ) / 4 );
}

# Return the number on an ingredient card or on Immuto.
sub number ($card) {
    return $card < IMMUTO ? ( $card - 1 ) % 4 + 1 : 0;
}

# Return what the cards of one ingredient are worth (step 3).
sub set_worth ( $count, $total, $left ) {
    return 0 if $count == 0;
    if ( $count == 1 ) {
        return $left >= 2 ? -$total : -2 * $total;
    }
    if ( $count == 2 ) {
        return $left >= 1 ? $total : 0;
    }
    return $count == 3 ? 2 * $total : 2 * $total + 10;
}

# Return twice the points of a cauldron, its Immuto assigned as they bring most.
sub best_points ( $counts, $totals, $immuto ) {
    return sum0 map { set_worth( $counts->[$_], $totals->[$_], 0 ) } 0 .. 17 if $immuto == 0;
    my $best = -10000;
    for my $i ( 0 .. 17 ) {
        $counts->[$i]++;
        $best = max $best, best_points( $counts, $totals, $immuto - 1 );
        $counts->[$i]--;
    }
    return $best;
}

# Remembers every cauldron, and plays the move that is worth most.
sub new ($class) {
    return bless {}, $class;
}

# Begin with empty cauldrons.
sub match_started ( $self, $message ) {
    if ( $message->{game} ne 'glastonbury' ) {
        say "greedy plays glastonbury, but not $message->{game}";
        exit 1;
    }
    $self->{seat}      = $message->{seat};
    $self->{cauldrons} = [ map { [] } $message->{seats}->@* ];
    return;
}

# Return the first of the moves that are worth most (step 11).
sub choose ( $self, $decision ) {
    my $view = $self->{view} = _read_view( $decision->{glastonbury}{view} );
    $self->remember($_) for $decision->{glastonbury}{events}->@*;
    for my $seat ( 0 .. $self->{cauldrons}->$#* ) {
        splice $self->{cauldrons}[$seat]->@*, $view->{heights}[$seat];
    }
    $self->count;
    my ( $best, $most );
    for my $move ( $decision->{legal_moves}->@* ) {
        my $worth = $self->worth( $move->{glastonbury} );
        ( $best, $most ) = ( $move, $worth ) if !defined $most || $worth > $most;
    }
    return $best;
}

# Return a view with numbers for the names of cards and colours.
sub _read_view ($view) {
    return {
        %$view,
        board          => [ @CARD{ $view->{board}->@* } ],
        out            => [ @CARD{ $view->{out}->@* } ],
        last_card      => $CARD{ $view->{last_card} },
        colours        => [ @COLOUR{ $view->{colours}->@* } ],
        recipe_colours => [ @COLOUR{ $view->{recipe_colours}->@* } ],
    };
}

# Keep the cauldrons up to date (step 1).
sub remember ( $self, $event ) {
    my ( $kind, $card ) = ( $event->{kind}, $CARD{ $event->{card} } );
    my $cauldron = $self->{cauldrons}[ $event->{seat} ];
    if ( $kind eq 'EVENT_KIND_TOOK' || $kind eq 'EVENT_KIND_KEPT' ) {
        push @$cauldron, $card if $card <= IMMUTO;
    }
    elsif ( $kind eq 'EVENT_KIND_LOST' ) {
        pop @$cauldron;
    }
    elsif ( $kind eq 'EVENT_KIND_CAULDRON_OPENED' ) {
        @$cauldron = @CARD{ $event->{cards}->@* };
    }
    return;
}

# Count cards, sums of values and cards left (step 2).
sub count ($self) {
    my $left   = $self->{left}   = [ (4) x 18 ];
    my $counts = $self->{counts} = [ map { [ (0) x 18 ] } $self->{cauldrons}->@* ];
    my $totals = $self->{totals} = [ map { [ (0) x 18 ] } $self->{cauldrons}->@* ];
    for my $seat ( 0 .. $self->{cauldrons}->$#* ) {
        for my $card ( grep { $_ < IMMUTO } $self->{cauldrons}[$seat]->@* ) {
            $left->[ ingredient($card) ]--;
            $counts->[$seat][ ingredient($card) ]++;
            $totals->[$seat][ ingredient($card) ] += $self->value( $card, $seat );
        }
    }
    $left->[ ingredient($_) ]-- for grep { $_ < IMMUTO } $self->{view}{out}->@*;
    return;
}

# Return the value of a card for a seat.
sub value ( $self, $card, $seat ) {
    my $own = colour($card) == $self->{view}{colours}[$seat];
    return $own ? 2 * number($card) : number($card);
}

# Return the colour of an ingredient card.
sub colour ($card) {
    return int( ingredient($card) / 2 ) + 1;
}

# Return what a move is worth (steps 7 to 10).
sub worth ( $self, $move ) {
    my ( $view, $seat ) = $self->@{qw(view seat)};
    my ($action) = keys %$move;
    return $self->take_worth( $move->{take} ) if $action eq 'take';
    return $self->prospect( ( $view->{stops}[$seat] + $view->{steps} ) % 20, DECLINATIO, -1 )
      if $action eq 'declinatio';
    return -4 if $action eq 'pass';
    return $self->last_card_worth( $view->{last_card} ) + $self->bonus( $view->{last_card} )
      if $action eq 'keep';
    return $self->last_card_worth(0) if $action eq 'discard';
    return $self->assignment_worth( map { $_ - 1 }
          @INGREDIENT{ $move->{immuto}{ingredients}->@* } );
}

# Return what it is worth to take the card of a cell (step 7).
sub take_worth ( $self, $cell ) {
    my ( $view, $seat ) = $self->@{qw(view seat)};
    my ( $card, $stop ) = ( $view->{board}[$cell], $view->{stops}[$seat] );
    my $cauldron = $self->{cauldrons}[$seat];
    my $cost     = ( grep { $_ == $cell } $LINES[$stop]->@* ) ? 0                         : 10;
    my $steps    = @$cauldron                                 ? number( $cauldron->[-1] ) : 2;
    $steps = number($card) if $card <= IMMUTO;
    $stop  = ( $stop + $steps ) % 20;
    if ( !$LINES[$stop]->@* && $view->{declinatio}[$seat] > 0 ) {
        $stop = ( $stop + $steps ) % 20;
    }
    return $self->gain($card) - $cost + $self->prospect( $stop, VANESCO, $cell );
}

# Return the highest gain in the line that a stop faces (step 6).
sub prospect ( $self, $stop, $highest_card, $taken ) {
    my $best = -8;
    for my $cell ( grep { $_ != $taken } $LINES[$stop]->@* ) {
        my $card = $self->{view}{board}[$cell];
        $best = max $best, $self->gain($card) if 0 < $card && $card <= $highest_card;
    }
    return $best;
}

# Return what a card gains (steps 4 and 5).
sub gain ( $self, $card ) {
    if ( $card == VANESCO ) {
        my $loss = 0;
        for my $seat ( grep { $_ != $self->{seat} } 0 .. $self->{cauldrons}->$#* ) {
            my $cauldron = $self->{cauldrons}[$seat];
            $loss += $self->difference( $cauldron->[-1], $seat, 0 ) if @$cauldron;
        }
        return $loss + $self->bonus($card);
    }
    return $self->difference( $card, $self->{seat}, 1 ) + $self->bonus($card);
}

# Return what a card changes for a seat that puts it (1) or has it and loses it (0).
sub difference ( $self, $card, $seat, $put ) {
    return $GAINS{$card} if $card >= IMMUTO;
    my ( $i, $value ) = ( ingredient($card), $self->value( $card, $seat ) );
    my $count = $self->{counts}[$seat][$i] + $put;
    my $total = $self->{totals}[$seat][$i] + $put * $value;
    my $left  = $self->{left}[$i] - $put;
    return set_worth( $count, $total, $left ) - set_worth( $count - 1, $total - $value, $left + 1 );
}

# Return the bonus of a card for the own recipes (step 5).
sub bonus ( $self, $card ) {
    my ( $view, $seat ) = $self->@{qw(view seat)};
    return 0 if !$view->{recipe_tasks}->@*;
    my ( $task, $bonus ) = ( $view->{recipe_tasks}[$seat], 0 );
    if ( $card < IMMUTO && colour($card) == $view->{recipe_colours}[$seat] ) {
        $bonus += $self->{cauldrons}->@* == 4 ? 4 : 2;
    }
    $bonus -= 4 if $task eq 'TASK_FEWEST_FOURS'  && number($card) == 4;
    $bonus += 4 if $task eq 'TASK_MOST_ONES'     && number($card) == 1;
    $bonus -= 4 if $task eq 'TASK_FEWEST_SPELLS' && $card > IMMUTO;
    return $bonus;
}

# Return what the cauldron is worth with the last card, or without it for 0 (step 9).
sub last_card_worth ( $self, $card ) {
    my $seat   = $self->{seat};
    my @counts = $self->{counts}[$seat]->@*;
    my @totals = $self->{totals}[$seat]->@*;
    my $immuto = grep { $_ == IMMUTO } $self->{cauldrons}[$seat]->@*;
    if ( 0 < $card && $card < IMMUTO ) {
        $counts[ ingredient($card) ]++;
        $totals[ ingredient($card) ] += $self->value( $card, $seat );
    }
    elsif ( $card == IMMUTO ) {
        $immuto++;
    }
    return best_points( \@counts, \@totals, $immuto );
}

# Return what an assignment of Immuto is worth (step 10).
sub assignment_worth ( $self, @assigned ) {
    my $seat   = $self->{seat};
    my @counts = $self->{counts}[$seat]->@*;
    $counts[$_]++ for @assigned;
    my $first = 2 * $self->{view}{recipe_colours}[$seat] - 2;
    my @held  = map { $_->[$first] + $_->[ $first + 1 ] } $self->{counts}->@*;
    $held[$seat] = $counts[$first] + $counts[ $first + 1 ];
    my $points = best_points( \@counts, $self->{totals}[$seat], 0 );
    if ( all { $held[$seat] > $held[$_] } grep { $_ != $seat } 0 .. $#held ) {
        $points += $held[$seat] * ( @held == 4 ? 4 : 2 );
    }
    return $points;
}

1;
