# The documented shuffle: the same seed gives the same order in every language.
package Shuffle;

use v5.36;

use Digest::SHA qw(sha256);

# Return the items in the order that the seed gives for this purpose.
sub shuffled ( $items, $seed, $purpose ) {
    my @result = @$items;
    my $next   = _words("$seed$purpose\0");
    for my $i ( reverse 1 .. $#result ) {
        my $j = _below( $next, $i + 1 );
        @result[ $i, $j ] = @result[ $j, $i ];
    }
    return @result;
}

# Return the next number of the stream, uniform over 0 … bound - 1.
sub _below ( $next, $bound ) {
    my $limit = 2**32 - 2**32 % $bound;
    my $word  = $next->();
    $word = $next->() while $word >= $limit;
    return $word % $bound;
}

# Return a function that returns the next word of the stream.
sub _words ($key) {
    my $counter = 0;
    my @words;
    return sub {
        @words = unpack 'N8', sha256( $key . pack 'Q>', $counter++ ) if !@words;
        return shift @words;
    };
}

1;
