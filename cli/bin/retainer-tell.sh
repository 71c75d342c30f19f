#!/bin/sh
# The command line in the agent's container, for people on a cluster who tell the agent something: as retainer-read, but it can
# also write the spool, from which the agent takes what a person may say over pods/exec, and nothing else.
echo 1000 2>/dev/null >/proc/self/oom_score_adj || true
exec env -i PATH="$PATH" ${NO_COLOR:+NO_COLOR=1} ${FORCE_COLOR:+FORCE_COLOR=1} \
  RETAINER_CALLED_AS="$RETAINER_CALLED_AS" RETAINER_CALLED_WITH="$RETAINER_CALLED_WITH" RETAINER_CALLED_BY="$RETAINER_CALLED_BY" \
  node --max-old-space-size=256 --permission --allow-fs-read=/app --allow-fs-read=/data --allow-fs-write=/data/spool \
  /app/cli/bin/retainer.js "$@"
