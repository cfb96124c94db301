"""Does a Perl script from memory do what it does from its file?"""

from __future__ import annotations

import pytest

from hookline.handlers.sealing.perl import notices
from hookline.handlers.sight import contents as reading
from hookline.handlers.sight.contents import contents
from tests.unit.handlers.sealing.running import SWAPPED, Script, both, needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.process, needs("perl")]

LIB = "package Lib; sub says { my @c = caller(0); qq(@c[0..3] @_) } 1;\n"
GUARD = """#!/usr/bin/perl -w
use strict; use FindBin; use lib "$FindBin::Bin/lib"; use Lib;
print "$0 ", __FILE__, " ", __LINE__, " $FindBin::Bin $FindBin::Script @ARGV $^W ${^TAINT}\\n";
print "main\\n" if $0 eq __FILE__;
print "first\\n" unless caller;
print Lib::says(1), " ", scalar <STDIN>;
my $none; my $both = "a" . $none;
print tell(DATA), "\\n";
while (<DATA>) { print "$.: $_" }
seek DATA, 0, 0; print scalar <DATA>;
warn "w"; eval { die "inner" }; print $@;
local $SIG{__DIE__} = sub { print "D: @_" };
die "end";
__END__
one
two
"""
# Scripts, by what of them might be another thing from memory.
SCRIPTS = {
    "its places, its warnings and its data": GUARD,
    "a switch of its line": "#!/usr/bin/perl -w\nmy $u; print 'a' . $u; warn 'x'; print __LINE__;\n",
    "a loop around it": "#!/usr/bin/perl -n\nprint qq($.: $_); warn 'l' if eof;\n",
    "a loop that prints": "#!/usr/bin/env -S perl -lp\ns/in/out/;\n",
    "UTF-8": "use utf8; binmode STDOUT, ':utf8'; my $é = 'ü'; print length $é, $é, __LINE__; die;\n",
    "a byte order mark": "\ufeffuse strict;\nprint 'bom ', __LINE__; die;\n",
    "carriage returns": "#!/usr/bin/perl -w\r\nprint 'a';\r\nwarn 'b';\r\n",
    "a package with data": "package Foo; print <Foo::DATA>; sub f { print join '|', caller(0); require Carp; Carp::cluck('q') } f();\n__END__\nfoo\n",
    "a version": "use v5.14; use warnings; say __LINE__, $0 eq __FILE__; say for sort keys %INC; die\n",
    "a module that runs itself": "package M; __PACKAGE__->main(@ARGV) unless caller; sub main { print qq(main @_); exit 3 }\n",
    "what ends it": "END { print qq(end $?); $? = 5 } print 'go'; exit 2;\n",
    "how it dies first": "die 'x'\n",
    "errors before it": "BEGIN { print $! + 0 } print $! + 0, $?; die;\n",
    "no warning of a version": "print join ',', sort keys %INC; print qq(|@INC|$^H|), ${^WARNING_BITS} // 'u';\n",
    "lines that it numbers": "print __LINE__;\n#line 100 \"foo\"\nprint __FILE__, __LINE__; warn 'q';\n",
    "a document": "\n=pod\n\nx\n\n=cut\n\nprint __LINE__; warn 'p';\n",
    "descriptors": "opendir my $d, '/dev/fd' or die; print scalar grep { !/^[.]/ } readdir $d;\n",
    "children": "system 'echo', 'child'; print `echo $0`; exec 'echo', 'last';\n",
    "a name of its own": "print $0; $0 = 'other'; print $0, __FILE__;\n",
    "nothing": "",
    "no end of line": "print __LINE__; warn 'x'",
}
READING = {
    "itself": "open my $f, '<', $0 or die; print <$f>; open $f, '<', __FILE__ or die; print -s $f, -s $0;\n",
    "its own document": "use Pod::Usage; pod2usage(-exitval => 2, -verbose => 1);\n\n=head1 SYNOPSIS\n\n x a b\n\n=cut\n",
    "a file beside it": "require './lib/Lib.pm'; print Lib::says(2), $INC{'./lib/Lib.pm'};\n",
}


def script(folder: Path, text: str, name: str = "x.pl") -> Script:
    """A script beside a library."""
    (folder / "lib").mkdir(exist_ok=True)
    (folder / "lib/Lib.pm").write_text(LIB, encoding="utf-8")
    return Script(folder, name, text)


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("options", [(), ("-w",), ("-I", "lib", "-Mwarnings")], ids=str)
def test_it_does_what_it_does_from_its_file(
    tmp_path: Path, text: str, options: tuple[str, ...]
) -> None:
    """Output, errors and exit code, with another file in its place."""
    rest = [] if text.startswith("#!") and "perl -" in text and "STDIN" not in text else ["a", "-b"]
    plain, sealed = both(script(tmp_path, text), "perl", ["perl", *options], rest)

    assert sealed == plain


@pytest.mark.parametrize("text", READING.values(), ids=READING)
def test_it_reads_what_lies_there(tmp_path: Path, text: str) -> None:
    """Its file, and those beside it, by the names that it has for them."""
    plain, sealed = both(script(tmp_path, text), "perl", ["perl"], reads=True)

    assert sealed == plain


@pytest.mark.parametrize("name", ["it's.pl", "back\\slash.pl", "a b;$x.pl", "ü.pl", "@x{}.pl"])
def test_any_name_is_its_own(tmp_path: Path, name: str) -> None:
    """As a word of Perl, and as the name of a file."""
    plain, sealed = both(
        script(tmp_path, "print $0, __FILE__; warn 'w'; die\n", name), "perl", ["perl"]
    )

    assert sealed == plain


@pytest.mark.parametrize(
    "before",
    [
        ["perl", "-T"],
        ["perl", "-wT", "--"],
        ["perl", "-CSA"],
        ["perl", "-s"],
        ["perl", "-MFindBin"],
    ],
    ids=str,
)
def test_options_mean_what_they_mean(tmp_path: Path, before: list[str]) -> None:
    """Those of the command line, beside those of its first line; also by its whole path."""
    text = "#!/usr/bin/perl -T\nprint qq(${^TAINT} $0 @ARGV $^W ${^UNICODE}); eval { open my $h, '>', $ARGV[0] }; print $@;\n"
    made = script(tmp_path, text.replace(" -T", " -T" if "T" in before[1] else ""))
    plain, sealed = both(made, "perl", before, ["/none/x"], shown=str(made.path))

    assert sealed == plain


def test_what_is_too_large_to_be_held_runs_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copied when it is run, and only as it was seen."""
    monkeypatch.setattr(reading, "LARGEST", 10)
    made = script(tmp_path, GUARD)
    plain, sealed = both(made, "perl", ["perl"], ["a"], reads=True)

    assert sealed == plain


@pytest.mark.parametrize(
    ("options", "text", "is_noticed"),
    [
        (["-w", "-Ilib", "-I", "lib", "-MFoo::Bare", "-0777", "-lan"], "print 1", False),
        (["-c"], "print 1", True),
        (["-d"], "print 1", True),
        (["-S"], "print 1", True),
        (["-x"], "print 1", True),
        ([], "#!/usr/bin/perl -c\nprint 1", True),
        ([], "#!/usr/bin/perl5.36.0 -w -T\nprint 1", False),
        ([], "#!/bin/sh\neval 'exec perl -x $0'", True),
        ([], "print -s DATA", True),
        ([], "print((stat(main::DATA))[9])", True),
        ([], "print <DATA>, -s $0", False),
    ],
)  # fmt: skip
def test_what_would_notice_runs_from_its_place(
    tmp_path: Path, options: list[str], text: str, is_noticed: bool
) -> None:
    """Because of an option that names the file, or of a question of which file its data is."""
    made = script(tmp_path, text)
    read = contents(str(made.path))
    assert read is not None

    assert notices(options, read) is is_noticed
    assert (made.sealed("perl", ["perl", *options]) is None) is is_noticed


def test_a_name_that_no_line_can_tell_runs_from_its_place(tmp_path: Path) -> None:
    """One with a quote, or with a line of its own."""
    assert script(tmp_path, SWAPPED, 'a"b.pl').sealed("perl", ["perl"]) is None
    assert script(tmp_path, SWAPPED, "a\nb.pl").sealed("perl", ["perl"]) is None
