#!/bin/sh
# The command line in the agent's container, for people on a cluster: it can read the record and its own program, and nothing
# else: no secret of the agent is within its reach, in a file or in the environment, and it cannot write or start anything.
# It shares the memory of the container with the agent: if that runs out, the kernel ends this process, because a look at the
# record must never cost the agent its life.
echo 1000 2>/dev/null >/proc/self/oom_score_adj || true
exec env -i PATH="$PATH" ${NO_COLOR:+NO_COLOR=1} ${FORCE_COLOR:+FORCE_COLOR=1} \
  RETAINER_CALLED_AS="$RETAINER_CALLED_AS" RETAINER_CALLED_WITH="$RETAINER_CALLED_WITH" \
  node --max-old-space-size=256 --permission --allow-fs-read=/app --allow-fs-read=/data /app/cli/bin/retainer.js "$@"
