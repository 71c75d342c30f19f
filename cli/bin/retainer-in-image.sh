#!/bin/sh
# The command line in the agent's container. It shares the container's memory with the agent: if that runs out, the kernel
# ends this process, because a look at the record must never cost the agent its life.
echo 1000 2>/dev/null >/proc/self/oom_score_adj || true
exec node --max-old-space-size=256 /app/cli/bin/retainer.js "$@"
