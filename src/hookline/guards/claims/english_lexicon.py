"""The English words of claims, and of what makes a sentence something else."""

from __future__ import annotations

from typing import NamedTuple

from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.guards.claims.claim import Kind


class Verb(NamedTuple):
    """A verb that claims by itself, and the words beside it that give it another meaning.

    `needs`: of these words at least one has to be in the sentence.
    """

    kind: Kind
    past: str
    base: str
    progressive: str
    excluded: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()


_MESSAGING = make_set(
    "event events topic kafka queue queues redis bus subscriber subscribers mqtt broker stream"
)
_RELEASE_TARGETS = make_set(
    "pypi npm registry crates.io hub rubygems maven github release version package site blog "
    "website store public production marketplace url code"
)
_PRODUCTION = make_set(
    "production prod staging server servers cluster kubernetes k8s heroku vercel netlify fly "
    "render railway environment aws gcp azure ecs lambda cloudflare live users customers"
)
VERBS = (
    Verb("committed", "committed", "commit", "committing", make_set(
        "offset offsets transaction transactions memory crime crimes murder suicide help helping "
        "quality providing delivering improving error errors fraud row rows database resources "
        "making supporting keeping ensuring relationship charges myself ourselves themselves")),
    Verb("pushed", "pushed", "push", "pushing", make_set(
        "back button deadline meeting stack array list queue notification notifications event "
        "events state history boundaries element elements item items value values price prices "
        "limits onto through date launch")),
    Verb("pushed", "force-pushed", "force-push", "force-pushing"),
    Verb("published", "published", "publish", "publishing", _MESSAGING | make_set(
        "journal study cve advisory rfc nature whitepaper message messages field flag property "
        "column attribute 1999 license licence licenses")),
    Verb("published", "republished", "republish", "republishing", _MESSAGING),
    Verb("published", "unveiled", "unveil", "unveiling", needs=make_set("site page")),
    Verb("published", "released", "release", "releasing", make_set(
        "lock locks mutex memory resource resources connection connections handle handles "
        "semaphore buffer buffers pressure energy key claim claims thread pool file"),
        _RELEASE_TARGETS),
    Verb("published", "uploaded", "upload", "uploading", needs=make_set(
        "pypi npm registry crates.io store youtube marketplace site website release")),
    Verb("published", "launched", "launch", "launching", make_set(
        "browser process instance thread container subprocess command debugger terminal editor"),
        make_set("site website page app product dashboard")),
    Verb("published", "updated", "update", "updating",
        needs=make_set("live published production")),
    Verb("posted", "posted", "post", "posting", make_set(
        "request endpoint form payload json data api body earnings loss profit bail signs handler "
        "queue topic bus stream "
        "callback runnable loop")),
    Verb("posted", "reposted", "repost", "reposting"),
    Verb("posted", "tweeted", "tweet", "tweeting"),
    Verb("posted", "commented", "comment", "commenting", make_set("out code line lines"),
        make_set("pr issue thread pull-request merge-request post request ticket")),
    Verb("posted", "answered", "answer", "answering", needs=make_set(
        "thread issue pr ticket comment review forum")),
    Verb("posted", "replied", "reply", "replying", needs=make_set(
        "thread comment post issue pr ticket channel review tweet")),
    Verb("posted", "shared", "share", "sharing", make_set(
        "code state library module memory cache volume types config folder logic"), make_set(
        "slack channel thread agentx twitter x linkedin community forum discord feed telegram "
        "group timeline")),
    Verb("sent", "sent", "send", "sending", make_set(
        "request requests packet packets header headers payload payloads signal query queries "
        "byte bytes frame frames socket event events token tokens cookie cookies sigterm sigkill "
        "response data body parameters argument sender back pr mr pull-request merge-request")),
    Verb("request_opened", "sent", "send", "sending", make_set("link url email message"),
        make_set("pr mr pull-request merge-request")),
    Verb("sent", "cc'd", "cc", "cc'ing"),
    Verb("sent", "informed", "inform", "informing"),
    Verb("sent", "resent", "resend", "resending", make_set("request requests packet packets")),
    Verb("sent", "emailed", "email", "emailing"),
    Verb("sent", "e-mailed", "e-mail", "e-mailing"),
    Verb("sent", "messaged", "message", "messaging"),
    Verb("sent", "dm'd", "dm", "dming"),
    Verb("sent", "texted", "text", "texting"),
    Verb("sent", "mailed", "mail", "mailing"),
    Verb("sent", "notified", "notify", "notifying", make_set("listener listeners observer "
        "observers subscriber subscribers component components thread threads")),
    Verb("sent", "forwarded", "forward", "forwarding", make_set(
        "port ports request requests packet packets traffic header headers signal signals")),
    Verb("sent", "pinged", "ping", "pinging", needs=make_set(
        "team him her them channel slack reviewer reviewers alice bob lead owner author on-call")),
    Verb("sent", "delivered", "deliver", "delivering", needs=make_set(
        "message email mail notification invitation invite reminder sms text invoice")),
    Verb("deployed", "deployed", "deploy", "deploying", make_set(
        "troops parachute airbag soldiers sail anchor satellite police firefighters")),
    Verb("deployed", "redeployed", "redeploy", "redeploying"),
    Verb("deployed", "shipped", "ship", "shipping",
        make_set("order package parcel hardware book")),
    Verb("deployed", "promoted", "promote", "promoting",
        needs=make_set("production prod staging")),
    Verb("scheduled", "scheduled", "schedule", "scheduling", make_set(
        "kernel thread threads goroutine goroutines coroutine coroutines pod pods microtask "
        "callback scheduler removal deprecation flight flights train trains bus ferry plane "
        "departure arrival surgery exam election trial hearing concert match season movie premiere "
        "eclipse festival")),
    Verb("scheduled", "rescheduled", "reschedule", "rescheduling"),
)  # fmt: skip

# Two words that claim together: what follows the verb, and what else the sentence needs.
PHRASES: tuple[tuple[Kind, str, str, frozenset[str]], ...] = (
    ("published", "went", "live", frozenset()),
    ("published", "gone", "live", frozenset()),
    ("published", "pushed", "live", frozenset()),
    ("published", "put", "live", frozenset()),
    ("published", "put", "online", frozenset()),
    ("posted", "went", "out", make_set("tweet post thread toot")),
    ("deployed", "rolled", "out", frozenset()),
    ("deployed", "rolled", "back", make_set("production prod staging release deployment rollout")),
    ("sent", "reached", "out", frozenset()),
    ("scheduled", "added", "calendar", frozenset()),
    ("scheduled", "put", "calendar", frozenset()),
    ("deployed", "put", "into", make_set("production prod")),
    ("sent", "went", "out", make_set("email emails e-mail mail message invitation invitations "
        "invites invite newsletter notification notifications announcement")),
    ("sent", "gone", "out", make_set("email emails e-mail mail message invitation invitations "
        "invites invite newsletter notification notifications announcement")),
    ("sent", "fired", "off", make_set("email e-mail message")),
    ("request_opened", "put", "up", make_set("pr mr pull-request merge-request")),
    ("posted", "put", "up", make_set("post tweet")),
    ("published", "put", "up", make_set("page site article website")),
)  # fmt: skip

# Verbs that claim by the noun with them.
MAKERS = make_set(
    "created made opened re-opened reopened submitted raised filed added set configured registered "
    "booked completed finished performed executed cut put left dropped written set-up triggered "
    "amended squashed reworded"
)
MAKERS_BASE = make_set("create make open submit raise file add set register book put")
MAKERS_PROGRESSIVE = make_set("creating making opening submitting raising filing adding setting")
# Nouns that are made or that succeed: what each claims, and with which verbs.
_MADE = make_set("created made opened re-opened reopened submitted raised filed put")
_SET = make_set("created made set configured registered booked added set-up put")
_DONE = make_set("completed finished performed executed made triggered")
NOUNS: dict[str, tuple[Kind, frozenset[str]]] = {
    **dict.fromkeys(("pr", "prs", "mr", "pull-request", "pull-requests", "merge-request"),
        ("request_opened", _MADE)),
    **dict.fromkeys(("commit", "commits"), ("committed", make_set(
        "created made added completed finished amended squashed reworded"))),
    **dict.fromkeys(("reminder", "reminders", "alarm", "cron", "cron-job", "cronjob", "timer",
        "scheduled-task", "schedule", "recurring-task", "calendar-event", "cron-task",
        "scheduled-job", "recurring-job", "daily-job", "weekly-job", "nightly-job", "hourly-job",
        "daily-task", "weekly-task", "nightly-task", "hourly-task", "crontab-entry",
        "calendar-invite"),
        ("scheduled", _SET)),
    **dict.fromkeys(("meeting", "appointment", "call"), ("scheduled", make_set("booked set"))),
    **dict.fromkeys(("comment", "tweet", "post", "reply", "announcement"),
        ("posted", make_set("added submitted left dropped put"))),
    **dict.fromkeys(("email", "e-mail", "message", "notification", "dm", "invite", "invites",
        "invitation", "invitations", "newsletter", "mail", "emails", "messages"),
        ("sent", make_set("dropped completed"))),
    **dict.fromkeys(("deployment", "deploy", "rollout", "redeploy", "redeployment"),
        ("deployed", _DONE)),
    **dict.fromkeys(("release", "publication"), ("published", make_set(
        "created made cut completed "
        "finished"))),
    **dict.fromkeys(("publish", "publishing"), ("published", _DONE)),
    **dict.fromkeys(("push",), ("pushed", _DONE)),
    **dict.fromkeys(("build", "compilation"), ("build_works", make_set("completed finished"))),
}  # fmt: skip
# Words that are one noun together.
COMPOUNDS = (
    ("pull", "request"), ("pull", "requests"), ("merge", "request"), ("cron", "job"),
    ("cron", "task"), ("scheduled", "task"), ("scheduled", "job"), ("recurring", "task"),
    ("recurring", "job"), ("daily", "job"), ("weekly", "job"), ("nightly", "job"),
    ("daily", "task"), ("weekly", "task"), ("nightly", "task"), ("hourly", "task"),
    ("hourly", "job"), ("calendar", "event"),
    ("calendar", "invite"), ("crontab", "entry"), ("set", "up"), ("test", "suite"),
    ("type", "check"), ("type", "checks"), ("type", "checker"), ("type", "checking"),
    ("unit", "tests"),
    ("integration", "tests"), ("test", "run"),
)  # fmt: skip
# After such a noun, one of these is the thing, and the noun only says of what kind.
OTHER_HEADS = make_set("""
script scripts file files template templates function functions module config configuration
endpoint handler handlers pipeline pipelines workflow workflows message messages plan guide page
hook hooks class helper description descriptions button form title body text style convention
guidelines policy policies process step steps service table schema type field fields model list
feature features system logic component api key target targets date settings queue bot command
count counter id ids hash hashes history number numbers draft content option options
permissions menu dialog parser rules rule notes tool build builds branch branches candidate
threshold level value interval delay
""")

# What passes or is green, and whose claim it is.
TEST_NOUNS = make_set("""
test tests suite test-suite specs spec unit-tests integration-tests pytest jest vitest mocha ci
checks pipeline pipelines unittests e2e tox nox rspec phpunit junit test-run regression regressions
""")
BUILD_NOUNS = make_set("""
build builds compilation compile tsc mypy pyright ruff eslint lint linter linting clippy typecheck
type-check type-checks type-checker type-checking typechecking
webpack vite bundle project crate compiler
""")
LINT_NOUNS = make_set("ruff eslint lint linter linting clippy flake8 pylint")
TYPE_NOUNS = make_set(
    "mypy pyright typecheck type-check type-checks type-checker type-checking typechecking tsc"
)
PASSES = make_set("pass passes passed passing green succeed succeeds succeeded")
WORKS = make_set("clean successful works ok okay fine happy good")
COMPILES = make_set("compiles compiled builds built")
SUCCEEDS = make_set("""
succeeded succeeds successful complete completed done finished worked
""")
LIVE = make_set("live online published up deployed available running public visible")
CHECK_MARKS = "✅✓✔☑🟢👍🎉🚀"
CROSSES = "❌✗✘🔴🚫⚠⏳🟡"
ALL = make_set("all everything both they it")
WELL = make_set("successfully cleanly fine successful clean ok okay")

# -- what makes a sentence something else ----------------------------------------------------------

SELF = make_set("i we i've we've")
OTHERS = make_set("""
you he she they user users someone somebody teammate colleague colleagues author authors maintainer
maintainers upstream company team vendor customer client clients people anyone everyone nobody
developer developers reviewer reviewers dependabot renovate bot
""")
MODALS = make_set("""
will would can could may might must should shall ought going gonna wanna need needs needed plan
plans planned planning intend intends want wants wanted try tries tried trying attempt attempted
attempting let please remember supposed expected ready able unable cannot wish about willing
hopefully presumably probably maybe perhaps likely possibly theoretically ideally hoping
prepared preparing prepare waiting wait instead
""")
NEGATIONS = make_set(
    "not never no none neither nor nothing nobody without hardly barely yet-to cannot"
)
AUXILIARIES = make_set("""
have has had is are was were been be being am 's 're got get gets getting remain remains
""")
BE = make_set("is are was were been be being am 's 're got remain remains stays")
PRESENT_BE = make_set("is are 're am")
DOES = make_set("do does did")
ADVERBS = make_set("""
just already successfully now also then both all finally recently actually so therefore currently
really indeed fully completely properly correctly cleanly safely even only still each automatically
officially manually immediately quickly duly formally simply duly freshly newly directly definitely
locally everything too again today tonight
""")
# With these before it, a complement is not asserted.
ATTITUDES = make_set("""
ensure ensures ensuring check checks checking verify verifies verifying confirm see hope hopes
hoping expect expects expecting assume assumes assuming suppose supposing imagine think believe
guess doubt wonder pretend says said say claims claimed require requires
means mean implies until goal aim aims objective seems seem appears apparently decide decides
validate validates guarantee guarantees sure
""")
# What the speaker found out, or announces, is asserted; what the speaker doubts is not.
FOUND_OUT = make_set("verified confirmed checked ensured validated saw made")
ABLE = make_set("can happy pleased glad")
ANNOUNCES = make_set("report confirm say announce")
DOUBTS = make_set("think believe hope expect assume want check verify doubt make")
# Before a clause: it is no statement, or only in the past tense.
CONDITIONS = make_set(
    "if unless until till whether assuming provided suppose lest wherever whenever"
)
OCCASIONS = make_set("when once after before as-soon-as by-the-time")
STRONG = make_set("""
but though although however because since while whereas which that who where plus meaning given
therefore hence
""")
CLAUSE_SUBJECTS = make_set("""
i we it they you he she the this that these those all everything your my our its there both each
""")
PERSONS = make_set("i we you he she they it everything anything nothing somebody someone")
INTERJECTIONS = make_set("""
done finished ok okay great sure yes yep alright good news perfect all set success so right and
""")
QUESTION_OPENERS = make_set("""
did do does have has is are was were can could should shall would will want wanna which what when
how why where who anything ok okay right sound may any does't shouldn't
""")
PARTIAL = make_set("most some few half many several nearly almost mostly partly partially")
EXCEPTIONS = ("except", "apart from", "aside from", "other than", "excluding", "save for", "bar ")
FAILURES = make_set("""
failed fails fail failing failure rejected denied refused declined errored bounced error errors
timed timeout crashed broke broken aborted blocked conflict
""")
DRAFT = make_set("draft drafts drafted")
ELSEWHEN = (
    r"\b(?:last (?:week|month|year|night|quarter|spring|summer|autumn|fall|winter|monday|tuesday"
    r"|wednesday|thursday|friday)|(?:days?|weeks?|months?|years?) ago|in (?:19|20)\d\d|originally"
    r"|previously|used to|back in|before (?:that|this)\b|at the time|formerly"
    r"|in the past|(?:old|previous) (?:code|version)|before the fix|long ago|historically)\b"
)
HABITS = (
    r"\b(?:usually|typically|normally|generally|always|often|sometimes|by default|each time"
    r"|every time|in general|as a rule|automatically"
    r"|on every (?:push|commit|merge|release)|per release)\b"
)

# Things that are committed, pushed, published and sent, so that `Article published` is a claim.
THINGS = make_set("""
change changes code fix fixes branch branches work feature update updates patch everything all
article articles page site website blog dashboard app application package version v1 preview
document docs documentation report story game tool service api backend frontend server image
container bundle release email e-mail message notification invite newsletter reply post tweet
comment thread announcement reminder task job report summary file files tag tags refactor commit
commits pr mr database migration migrations bot worker function project link digest
""")
BRANCHES = make_set("""
main master develop dev trunk branch repo repository git github gitlab local staging release
history version \ue000
""")
PUBLISHED_THINGS = make_set("""
article articles page pages site website blog dashboard app package version preview story game
docs documentation portfolio report landing homepage demo it everything library book
""")
SERVICES = make_set("service api backend worker server deployment release bot function fix feature")
POSTS = make_set("post posts tweet comment reply announcement thread")
REQUESTS = make_set("pr prs mr pull-request pull-requests merge-request")
MAILS = make_set("""
email e-mail message mail invitation invite newsletter notification summary report invoice digest
file files contract link
""")
REMINDERS = frozenset(noun for noun, row in NOUNS.items() if row[0] == "scheduled") | make_set(
    "job task digest alert"
)
ACTIVE = make_set("set set-up active enabled armed live running scheduled configured registered")
NOT_LIVE_HEADS = make_set("""
demo data reload preview stream streaming session chat update updates search coding server edit
editing video tests test traffic environment system documentation documents docs versions players
""")
# What others are said to have done.
HEARSAY = (
    r"\b(?:according to|reportedly|allegedly|supposedly|rumou?rs?|the news|press release"
    r"|(?:says|said|reports) (?:the|an?|its|their) \w+)\b"
)
# Without one of these, or a noun above, none of the phrases is there.
STATE_WORDS = make_set("""
production staging prod schedule calendar runs exists forum channel board community cluster as quiet
silent online reachable accessible went in wrote pypi npm crates.io rubygems maven docker
marketplace store out inbox
""")
COUNTED = r"(\d+)\s*(?:/|of|out of)\s*(\d+)"
