#!/usr/bin/env perl
# Plays at random or greedily over a pipe, or shows the documented shuffle.

use v5.36;

use FindBin;
use lib $FindBin::Bin;

use GreedyBot;
use Plumbing;
use RandomBot;
use Shuffle;

my ( $what, @rest ) = @ARGV ? @ARGV : 'random';
if ( $what eq 'random' && !@rest ) {
    Plumbing::run('RandomBot');
}
elsif ( $what eq 'greedy' && !@rest ) {
    Plumbing::run('GreedyBot');
}
elsif ( $what eq 'shuffle' && ( @rest == 2 || @rest == 3 ) ) {
    my ( $seed, $length, $purpose ) = @rest;
    $seed   =~ /\A[[:xdigit:]]{64}\z/ or die "a seed has 64 hexadecimal digits: $seed\n";
    $length =~ /\A[0-9]+\z/           or die "a length is a whole number: $length\n";
    my @items = 0 .. $length - 1;
    say join ' ', Shuffle::shuffled( \@items, pack( 'H*', $seed ), $purpose // 'glastonbury/deck' );
}
else {
    say STDERR 'usage: bot.pl [random | greedy | shuffle SEED_HEX N [PURPOSE]]';
    exit 2;
}
