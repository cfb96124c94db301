"""The programs, and the words in names of scripts and tools, by what they do for a claim."""

from __future__ import annotations

from hookline.text.script.reading import make_set

# Program, the words that have to be among its arguments in this order, and what it does.
PROGRAMS = """
pytest                            test
py.test                           test
jest                              test
vitest                            test
mocha                             test
ava                               test
tox                               test
nox                               test
rspec                             test
phpunit                           test
ctest                             test
bats                              test
prove                             test
unittest                          test
playwright       test             test
cypress          run              test
go               test             test
cargo            test             test
cargo            nextest          test
deno             test             test
bun              test             test
npm              test             test
npm              t                test
yarn             test             test
pnpm             test             test
mvn              test             test
mvn              verify           test
gradle           test             test
gradle           check            test
gradlew          test             test
gradlew          check            test
dotnet           test             test
mix              test             test
swift            test             test
bazel            test             test
rake             test             test
rake             spec             test
rails            test             test
manage.py        test             test
artisan          test             test
build                             build
hatch            test             test
gh               run watch        test
gh               run view         test
gh               pr checks        test
glab             ci status        test
cargo            build            build
cargo            check            build
cargo            clippy           lint
go               build            build
go               vet              lint
tsc                               types
mypy                              types
pyright                           types
basedpyright                      types
vue-tsc                           types
ruff             check            lint
ruff             format           lint
eslint                            lint
flake8                            lint
pylint                            lint
biome                             lint
shellcheck                        lint
golangci-lint                     lint
rubocop                           lint
prettier         --check          lint
black            --check          lint
pre-commit       run              lint
webpack                           build
rollup                            build
esbuild                           build
vite             build            build
next             build            build
docker           build            build
docker           buildx           build
docker           compose build    build
docker-compose   build            build
podman           build            build
gradle           build            build
gradle           assemble         build
gradlew          build            build
gradlew          assemble         build
mvn              package          build
mvn              compile          build
mvn              install          build
gcc                               build
g++                               build
cc                                build
clang                             build
javac                             build
rustc                             build
cmake            --build          build
ninja                             build
meson            compile          build
dotnet           build            build
swift            build            build
bazel            build            build
xcodebuild                        build
uv               build            build
poetry           build            build
hatch            build            build
hugo                              build
mkdocs           build            build
git              commit           commit
git              merge            commit
git              cherry-pick      commit
git              revert           commit
hg               commit           commit
jj               commit           commit
git              push             push
jj               git push         push
hg               push             push
docker           push             push
docker           push             publish
gh               pr create        request
gh               workflow run     http
glab             mr create        request
hub              pull-request     request
tea              pr create        request
az               repos pr create  request
npm              publish          publish
pnpm             publish          publish
yarn             publish          publish
yarn             npm publish      publish
twine            upload           publish
cargo            publish          publish
poetry           publish          publish
uv               publish          publish
flit             publish          publish
hatch            publish          publish
gem              push             publish
gh               release create   publish
gh-pages                          publish
surge                             publish
mkdocs           gh-deploy        publish
vsce             publish          publish
vercel                            deploy
netlify          deploy           deploy
fly              deploy           deploy
flyctl           deploy           deploy
kubectl          apply            deploy
kubectl          set              deploy
kubectl          rollout          deploy
helm             upgrade          deploy
helm             install          deploy
terraform        apply            deploy
tofu             apply            deploy
pulumi           up               deploy
ansible-playbook                  deploy
cdk              deploy           deploy
sam              deploy           deploy
serverless       deploy           deploy
sls              deploy           deploy
gcloud           deploy           deploy
firebase         deploy           deploy
wrangler         deploy           deploy
wrangler         publish          deploy
railway          up               deploy
kamal            deploy           deploy
eb               deploy           deploy
cap              deploy           deploy
docker           stack deploy     deploy
docker           compose up       deploy
docker-compose   up               deploy
systemctl        restart          deploy
aws              update-service   deploy
aws              update-function-code deploy
aws              sync             deploy
rsync                             deploy
scp                               deploy
git              push heroku      deploy
git              push dokku       deploy
crontab                           schedule
at                                schedule
batch                             schedule
schtasks                          schedule
launchctl        load             schedule
launchctl        bootstrap        schedule
systemctl        enable           schedule
systemd-run                       schedule
mail                              send
mailx                             send
sendmail                          send
mutt                              send
msmtp                             send
swaks                             send
telegram-send                     send
notify-send                       send
gh               pr comment       post
gh               issue comment    post
gh               pr review        post
gh               issue create     post
glab             mr note          post
toot             post             post
behave                            test
karma            start            test
node             --test           test
dart             test             test
ng               test             test
gotestsum                         test
ginkgo                            test
xcodebuild       test             test
zig              build test       test
ng               build            build
gatsby           build            build
astro            build            build
nuxt             build            build
react-scripts    test             test
react-scripts    build            build
tsup                              build
zig              build            build
sphinx-build                      build
jekyll           build            build
quarto           render           build
latexmk                           build
pdflatex                          build
svelte-check                      types
stylelint                         lint
oxlint                            lint
ktlint                            lint
swiftlint                         lint
hadolint                          lint
actionlint                        lint
dart             analyze          lint
gh               pr reopen        request
clasp            deploy           deploy
skaffold         run              deploy
nomad            job run          deploy
heroku           container:release deploy
"""
# Words in the name of a script, a target or a tool, by what such a thing does.
_NAME_ROWS = {
    "test": "test tests spec e2e ci check unittest",
    "build": "build compile bundle",
    "lint": "lint",
    "types": "typecheck types",
    "commit": "commit",
    "push": "push",
    "publish": "publish release",
    "deploy": "deploy ship rollout",
    "send": """
        send mail email notify message telegram wechat sms feishu lark dingtalk whatsapp slack
        discord gmail outlook
    """,
    "post": "post tweet comment reply agentx weibo mastodon bluesky linkedin twitter reddit",
    "schedule": "schedule scheduled cron reminder remind calendar alarm job timer",
}
NAMES = {word: act for act, words in _NAME_ROWS.items() for word in words.split()}
# Verbs in the name of a tool that only reads, only prepares, or takes back.
READERS = make_set(
    "list get read search fetch find view show query status describe history inspect preview help"
)
NO_VERBS = make_set("preview status history help")  # after another verb: `publish_preview`
PREPARERS = make_set("draft drafts compose prepare generate render validate estimate simulate")
REMOVERS = make_set("delete remove cancel unpublish retract unschedule disable pause")
RUNNERS = make_set("""
make just task npm npx yarn pnpm bun rake invoke mage ninja ant mise hatch uv uvx poetry pdm pipenv
composer nx turbo lerna sbt zig flutter meson lein stack cabal act
""")
SCRIPTS = make_set("python python3 node deno ruby perl php bash sh zsh ts-node tsx")
CLIENTS = make_set("curl wget http https xh gh")
INSTALLS = make_set("install i add ci update remove init lock sync")
# Words with which a program only looks, or only says what it would do.
NOT_A_RUN_OF = {
    "crontab": make_set("-l -r"),
    "bash": make_set("-n"),
    "sh": make_set("-n"),
    "zsh": make_set("-n"),
    "git push": make_set("-n -d --delete"),
    "make": make_set("-n"),
    "rsync": make_set("-n"),
    "ansible-playbook": make_set("--check --syntax-check"),
    "vercel": make_set("ls list env login whoami inspect logs link pull build dev domains"),
    "surge": make_set("list login whoami"),
}
NOT_A_RUN = make_set("""
--help -h --version --dry-run --dryrun --collect-only --co --list --list-tests --listTests
--showlocals-only --fixtures --no-run
""")
FILTERS = make_set("-k -t --grep -g --filter --lf --last-failed --testNamePattern -run --only")
REMOTES = make_set("calendar slack telegram email mail reminders cron scheduler")
OPEN = make_set("browser click computer skill workflow navigate")
DATA_FLAGS = make_set(
    "-f --field --raw-field -d --data --data-raw --data-binary --json -F --form -T --upload-file"
)
