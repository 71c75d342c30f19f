#!/bin/sh
# The command line in the agent's container, for people on a cluster who look at the second copy of the record: as retainer-read,
# but it can start git, which alone reads a repository. It is told to look only, and nothing but its own words steers git.
echo 1000 2>/dev/null >/proc/self/oom_score_adj || true
exec env -i PATH="$PATH" ${NO_COLOR:+NO_COLOR=1} ${FORCE_COLOR:+FORCE_COLOR=1} \
  RETAINER_CALLED_AS="$RETAINER_CALLED_AS" RETAINER_CALLED_WITH="$RETAINER_CALLED_WITH" NODE_NO_WARNINGS=1 \
  node --max-old-space-size=256 --permission --allow-fs-read=/app --allow-fs-read=/data --allow-child-process \
  /app/cli/bin/retainer.js "$@"
