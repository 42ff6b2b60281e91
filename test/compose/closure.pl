# Lists installed packages, everything that they depend on, and what every Debian has:
#   perl test/compose/closure.pl PACKAGE…
use strict;
use warnings;

chomp(my $here = `dpkg --print-architecture`);
my (%needs, %provided, %full, @essential);
open(my $status, '-|', 'dpkg-query', '-W', '-f', '${Status}\t${Architecture}\t${Package}\t${binary:Package}\t${Essential}\t${Pre-Depends}, ${Depends}\t${Provides}\n') or die "dpkg-query: $!";
while (<$status>) {
	chomp;
	my ($state, $architecture, $package, $full, $essential, $needs, $provides) = split /\t/;
	next unless $state =~ / installed$/ && $architecture =~ /^($here|all)$/;
	$full{$package} = $full;
	$needs{$package} = [$needs =~ /(?:^|[,|]) *([a-z0-9][a-z0-9.+-]*)/g];
	push @{ $provided{$_} }, $package for $package, ($provides // '') =~ /(?:^|,) *([a-z0-9][a-z0-9.+-]*)/g;
	push @essential, $package if $essential eq 'yes';
}

my %seen;
my @todo = @essential;
for my $package (@ARGV) {
	die "$package is not installed\n" unless $provided{$package};
	push @todo, $package;
}
while (defined(my $name = shift @todo)) {
	for my $package (@{ $provided{$name} // [] }) {
		push @todo, @{ $needs{$package} } unless $seen{$package}++;
	}
}
print "$full{$_}\n" for sort keys %seen;
