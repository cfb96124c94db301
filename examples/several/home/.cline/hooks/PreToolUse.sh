#!/bin/sh
# Cline asks about every tool: the name of the file is the event.
grep -q 'git clean -fdx' || exit 0
echo '{"cancel": true, "errorMessage": "git clean -fdx is not run here (Cline)"}'
