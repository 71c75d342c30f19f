#!/bin/sh
# The command line in the agent's container, for people on a cluster who try its mail servers: as retainer-read, but it reads the
# settings and Secrets that are mounted, takes the agent's way out, and neither reads the record nor writes anything.
echo 1000 2>/dev/null >/proc/self/oom_score_adj || true
exec env -i PATH="$PATH" ${NO_COLOR:+NO_COLOR=1} ${FORCE_COLOR:+FORCE_COLOR=1} \
  ${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} ${NO_PROXY:+NO_PROXY="$NO_PROXY"} \
  RETAINER_CALLED_AS="$RETAINER_CALLED_AS" RETAINER_CALLED_WITH="$RETAINER_CALLED_WITH" NODE_NO_WARNINGS=1 \
  node --max-old-space-size=256 --permission --allow-fs-read=/app --allow-fs-read=/etc/retainer/boot \
  --allow-fs-read=/etc/retainer/secrets --allow-fs-read=/etc/retainer/mail-authorities /app/cli/bin/retainer.js "$@"
