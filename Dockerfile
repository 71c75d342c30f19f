# The images of Retainer: `docker build --target operator|agent|sandbox .`, with or without BuildKit.
#
# BASE is Debian with Node 24 and npm; pin it by digest for a release: --build-arg BASE=node:24-bookworm-slim@sha256:...
# Only the last stage of a target needs Debian's packages: tini, the first process, which reaps what others leave behind.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY packages/mind/package.json packages/mind/
COPY packages/journal/package.json packages/journal/
COPY packages/kube/package.json packages/kube/
COPY operator/package.json operator/
COPY agent-pod/package.json agent-pod/
COPY sandbox-runner/package.json sandbox-runner/
COPY cli/package.json cli/

# Programs, compiled. Packages come before sources, so that a change of a source installs nothing again. Each image gets what its
# program needs, from one directory.
FROM manifests AS build
RUN npm ci --ignore-scripts
COPY tsconfig.base.json ./
COPY contract contract
COPY packages packages
COPY operator operator
COPY agent-pod agent-pod
COPY sandbox-runner sandbox-runner
COPY cli cli
RUN npx tsc -b operator agent-pod sandbox-runner cli \
  && find . -path ./node_modules -prune -o \( -name '*.d.ts' -o -name '*.d.ts.map' -o -name '.tsbuildinfo' \) -exec rm {} +
SHELL ["/bin/bash", "-euc"]
RUN mkdir -p /out/{operator,agent,sandbox,bin} \
  && cp -r --parents {contract,packages/kube,operator}/{package.json,dist} /out/operator \
  && cp -r --parents {contract,packages/{mind,journal,kube},agent-pod,cli}/{package.json,dist} /out/agent \
  && cp -r --parents agent-pod/words cli/bin/retainer.js /out/agent \
  && cp -r --parents {contract,sandbox-runner}/{package.json,dist} /out/sandbox \
  && cp cli/bin/retainer-in-image.sh /out/bin/retainer \
  && for program in read tell git mail; do cp "cli/bin/retainer-$program.sh" "/out/bin/retainer-$program"; done

# What one program needs to run and nothing else. Optional packages are for machines outside a cluster.
FROM manifests AS operator-packages
RUN npm ci --ignore-scripts --omit=dev --omit=optional -w operator

# Those of the agent are among those of the command line, which reads its record.
FROM manifests AS agent-packages
RUN npm ci --ignore-scripts --omit=dev --omit=optional -w cli

FROM manifests AS sandbox-packages
RUN npm ci --ignore-scripts --omit=dev --omit=optional -w sandbox-runner

FROM ${BASE} AS runtime
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /usr/lib/node_modules /usr/local/lib/node_modules \
  && rm -f /usr/bin/npm /usr/bin/npx /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack
ENV NODE_ENV=production
WORKDIR /app
ENTRYPOINT ["tini", "--", "node"]
LABEL org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.vendor="Retainer"

FROM runtime AS operator
COPY --from=operator-packages /app/node_modules node_modules
COPY --from=build /out/operator ./
USER 10010:10010
CMD ["operator/dist/main.js"]
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="retainer-operator" \
  org.opencontainers.image.description="Controller of Retainer, and its egress proxy" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"

# Pushes of the backup: git trusts the authorities of the system, and ssh wants a name for the user that runs it.
FROM runtime AS agent
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git openssh-client ca-certificates util-linux \
  && echo 'agent:x:10001:10001:Retainer agent:/nonexistent:/usr/sbin/nologin' >>/etc/passwd \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY --from=agent-packages /app/node_modules node_modules
COPY --from=build /out/agent ./
COPY --from=build /out/bin /usr/local/bin/
USER 10001:10001
CMD ["agent-pod/dist/main.js"]
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="retainer-agent" \
  org.opencontainers.image.description="Runtime of one Retainer agent, its auditor, and the command line that reads its record" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"

# Code of models runs here: the runner, and the three languages. No package manager, no compiler.
FROM runtime AS sandbox
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bash python3-minimal \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY --from=sandbox-packages /app/node_modules node_modules
COPY --from=build /out/sandbox ./
USER 65532:65532
CMD ["sandbox-runner/dist/main.js"]
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="retainer-sandbox" \
  org.opencontainers.image.description="Sandbox runner of Retainer, with Bash, JavaScript and Python" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
