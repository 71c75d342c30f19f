/** The commands that the pages print, and how each is run by a test: none may be printed that nobody has typed. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { backupCommandRows } from './backup-command-rows.ts';
import { cliCommandRows } from './cli-command-rows.ts';
import type { ClusterRow, CommandRow, ElsewhereRow } from './command-row.ts';
import { jobsCommandRows } from './jobs-command-rows.ts';
import { mailCommandRows } from './mail-command-rows.ts';
import { pageCommandRows } from './page-command-rows.ts';
import { repositoryFiles, repositoryRoot } from './repository-files.ts';

/** For those who change Retainer, of whom `npm run check` and the gate type what they read; and agents' own pages. */
const FOR_DEVELOPERS =
  /^(?:CONTRIBUTING\.md|docs\/(?:architecture|testing)\.md|(?:docs\/decisions|test|agent-pod|packages)\/.*)$/;
/** A shorter one is a mention of the program. */
const WORDS_MIN = 3;

/** Relative paths, sorted. */
export function pagesForUsers(): readonly string[] {
  return repositoryFiles()
    .map((path) => relative(repositoryRoot, path))
    .filter((path) => path.endsWith('.md') && !FOR_DEVELOPERS.test(path))
    .toSorted();
}

/** Of the fences for a shell, of what stands behind `$ ` in the other fences, and of the text; each once. */
export function documentedCommands(): readonly string[] {
  return [...new Set(pagesForUsers().flatMap((page) => commandsIn(readFileSync(join(repositoryRoot, page), 'utf8'))))];
}

const FENCE = /^ *```(\w*)\n(.*?)^ *```$/gms;

function commandsIn(page: string): readonly string[] {
  const fenced = [...page.matchAll(FENCE)]
    .flatMap(([, language, text = '']) => linesOf(text.replaceAll(/\\\n\s*/g, ''), language === 'sh'))
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '');
  const inText = [
    ...page.replaceAll(FENCE, '').matchAll(/`((?:kubectl|retainer|helm|docker|npx retainer|npm run live) [^`]+)`/g),
  ]
    // In a table, a pipe is written with a backslash.
    .map(([, command = '']) => command.replaceAll(/\s+/g, ' ').replaceAll('\\|', '|'))
    .filter((command) => command.split(' ').length >= WORDS_MIN && /^kubectl|[A-Z]{2}/.test(command));
  return [...fenced, ...inText];
}

function linesOf(fence: string, isForShell: boolean): readonly string[] {
  const lines = fence.split('\n');
  return isForShell ? lines : lines.flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
}

const OPERATOR_LOG = /"message":/;
const DRY = '--dry-run=server';
const AUDITOR = 'node agent-pod/dist/auditor-main.js';
const reads = (shows: RegExp, given: Partial<ClusterRow> = {}): ClusterRow => ({ how: 'Run', shows, ...given });
const REPAIRED: ElsewhereRow = { how: 'Elsewhere', test: 'test/e2e/record.test.ts', of: 'e2e:record-repaired' };
const NEW_KEY: ElsewhereRow = {
  how: 'Elsewhere',
  test: 'test/e2e/doctor.test.ts',
  of: 'find a new signing key well, after the commands of docs/operations.md',
};
const TAKEN_AWAY: ElsewhereRow = {
  how: 'Elsewhere',
  test: 'test/e2e/doctor.test.ts',
  of: 'is taken away for good and installed anew, by the commands of the pages',
};
const DOCTOR = 'retainer doctor --agent NAME -n NAMESPACE';
const SUSPEND = `kubectl -n NAMESPACE patch agent NAME --type=merge -p '{"spec":{"suspend":true}}'`;

export const commandRows: Readonly<Record<string, CommandRow>> = {
  [DOCTOR]: reads(/ok +agents/),
  'retainer doctor': { how: 'As', row: DOCTOR },
  'retainer doctor --agent NAME': { how: 'As', row: DOCTOR },
  'docker build --target operator -t REGISTRY/retainer/operator:TAG .': {
    how: 'Elsewhere',
    test: 'test/e2e/images.ts',
    of: 'buildImages',
    says: "'build', ...networkOf(cluster), '--target', target, '-t', image",
  },
  'docker push REGISTRY/retainer/operator:TAG': { how: 'Never', why: 'the cluster of the tests has no registry' },
  'retainer install --registry REGISTRY --tag TAG': { how: 'Run', shows: /kind: Deployment/, with: '--dry-run' },
  'retainer install --registry REGISTRY --tag NEW': { how: 'Run', shows: /kind: Deployment/, with: '--dry-run' },
  "retainer install --set 'watchNamespaces={team-a,team-b}'": {
    how: 'Run',
    shows: /namespace: team-b/,
    with: '--dry-run',
  },
  'kubectl label namespace retainer-system pod-security.kubernetes.io/enforce=restricted': reads(/retainer-system/),
  'kubectl apply --server-side -k manifests/base': TAKEN_AWAY,
  'kubectl apply --server-side -k crds': TAKEN_AWAY,
  'kubectl -n NAMESPACE create role retainer-NAME-0-reader --verb=get,create --resource=pods/exec --resource-name=retainer-NAME-0':
    { how: 'Run', shows: /created/, phase: 'Decides' },
  'kubectl create configmap company-ca --from-file=ca.crt=FILE': {
    how: 'Run',
    shows: /created/,
    phase: 'Decides',
    with: '-n NAMESPACE',
  },
  'kubectl -n NAMESPACE create rolebinding readers --role=retainer-NAME-0-reader --user=USER': {
    how: 'Run',
    shows: /created/,
    phase: 'Decides',
  },
  'kubectl -n NAMESPACE create rolebinding approvers --clusterrole=retainer-approver --user=USER': {
    how: 'Run',
    shows: /created/,
    phase: 'Decides',
  },
  'kubectl -n NAMESPACE annotate agent NAME --overwrite retainer.dev/individual=UUID': {
    how: 'Run',
    shows: /annotated/,
    phase: 'Decides',
  },
  'helm uninstall retainer --namespace retainer-system --wait': TAKEN_AWAY,
  'kubectl delete agents --all --all-namespaces': TAKEN_AWAY,
  'kubectl delete crd -l app.kubernetes.io/part-of=retainer': TAKEN_AWAY,
  'kubectl delete pvc --all-namespaces -l app.kubernetes.io/part-of=retainer,app.kubernetes.io/name=agent': TAKEN_AWAY,
  'kubectl delete namespace retainer-system': TAKEN_AWAY,
  'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data': {
    how: 'Run',
    shows: /evicting pod \S+\/retainer-puppet-0\b[^]*drained/,
    // The one node has pods of tests beside it, which no controller would make anew.
    with: `${DRY} --pod-selector=app.kubernetes.io/name=agent`,
  },
  'kubectl taint nodes NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute': {
    how: 'Run',
    shows: /tainted/,
    with: DRY,
  },
  'kubectl get endpointslices -l kubernetes.io/service-name=kubernetes': reads(/kubernetes/),
  'kubectl get agents': reads(/^NAME [^]*^puppet /m, { with: '-n NAMESPACE' }),
  'kubectl get agents -A': reads(/^NAMESPACE [^]* puppet /),
  'kubectl auth whoami': reads(/Username/),
  'kubectl describe task TASK -n NAMESPACE': { how: 'Run', shows: /Outcome: +Accepted/, task: 'done' },

  'retainer answer -n NAMESPACE': reads(/Which colour\?/),
  'retainer approve -n NAMESPACE': reads(/memory_write \(effect class 1\)/),
  'retainer explain -n NAMESPACE --agent NAME': reads(/Accepted/),
  'retainer explain TASK -n NAMESPACE': { how: 'Run', shows: /memory_write/, task: 'done' },
  'retainer explain RUN -n NAMESPACE': { how: 'Run', shows: /memory_write/, task: 'done' },
  'retainer cost TASK -n NAMESPACE': { how: 'Run', shows: /by purpose/, task: 'done' },
  'retainer answer TASK "ANSWER" -n NAMESPACE': {
    how: 'Run',
    shows: /answered question/,
    task: 'asks',
    phase: 'Decides',
  },
  'retainer approve ID -n NAMESPACE --reason WHY': {
    how: 'Run',
    shows: /approved, for exactly these arguments/,
    task: 'needs-leave',
    phase: 'Decides',
  },
  'retainer cancel TASK -n NAMESPACE --reason WHY': {
    how: 'Run',
    shows: /will be cancelled/,
    task: 'unwanted',
    phase: 'Decides',
  },
  'retainer task cancel TASK -n NAMESPACE': {
    how: 'Run',
    shows: /will be cancelled/,
    task: 'unwanted-too',
    phase: 'Decides',
  },
  // Nothing here waits under a changed character.
  'retainer task continue TASK -n NAMESPACE': {
    how: 'Run',
    shows: /is not held: its status names no heldUnder/,
    task: 'asks-too',
    fails: true,
  },
  'retainer override TASK -n NAMESPACE --reason WHY | kubectl apply -f -': {
    how: 'Run',
    shows: /refused-again created/,
    task: 'refused',
    phase: 'Decides',
  },
  [`kubectl -n NAMESPACE patch task TASK --type=json -p '[{"op":"add","path":"/spec/answers/-","value":{"question":"ID","text":"ANSWER","by":"USER"}}]'`]:
    { how: 'Run', shows: /patched/, task: 'asks-too', phase: 'Decides' },
  [`kubectl -n NAMESPACE patch task TASK --type=json -p '[{"op":"add","path":"/spec/approvals/-","value":{"request":"ID","argumentsDigest":"DIGEST","decision":"Approve","reason":"WHY","by":"USER"}}]'`]:
    { how: 'Run', shows: /patched/, task: 'needs-leave-too', phase: 'Decides' },
  // Both are for a data directory only; the copy has an open run, and no command that was set aside.
  'retainer retry RUN --reason TEXT': {
    how: 'Run',
    shows: /is tried again when the agent runs, if it is set aside/,
    task: 'asks',
    phase: 'Decides',
    with: '--data COPY',
  },
  'retainer retry ID': {
    how: 'Run',
    shows: /commands set aside: none/,
    words: { ID: 'spool-1 --reason WHY' },
    with: '--data COPY',
    fails: true,
  },
  'retainer cancel ID': {
    how: 'Run',
    shows: /no run "spool-1"/,
    words: { ID: 'spool-1 --reason WHY' },
    with: '--data COPY',
    fails: true,
  },

  'kubectl -n retainer-system get pods': reads(/retainer-operator/),
  'kubectl -n retainer-system get pods -o wide': reads(/retainer-operator/),
  'kubectl -n retainer-system describe deployment retainer-operator': reads(/Replicas:/),
  'kubectl -n retainer-system get lease retainer-operator -o yaml': reads(/holderIdentity/),
  'kubectl -n retainer-system logs -l app.kubernetes.io/name=operator --tail=50': reads(OPERATOR_LOG),
  'kubectl -n retainer-system logs -l app.kubernetes.io/name=operator --tail=100': reads(OPERATOR_LOG),
  'kubectl -n retainer-system logs -l app.kubernetes.io/name=operator --tail=200': reads(OPERATOR_LOG),
  // Well if it finds nothing.
  "kubectl -n retainer-system logs -l app.kubernetes.io/name=operator | grep 'a pass failed'": {
    how: 'Run',
    shows: 'Nothing',
    fails: true,
  },
  'kubectl -n retainer-system logs -l app.kubernetes.io/name=egress-proxy': reads(/"message":"(?:listening|request)"/),
  // The cluster of the tests has no metrics-server, which the command needs.
  'kubectl -n retainer-system top pods': { how: 'Run', shows: /Metrics API not available/, fails: true },
  "kubectl get --raw '/readyz?verbose'": reads(/readyz check passed/),
  // The server has the figure from the first rejected request on.
  'kubectl get --raw /metrics | grep apiserver_flowcontrol_rejected': {
    how: 'Run',
    shows: /^(?:# HELP )?apiserver_flowcontrol_rejected/,
    fails: 'IfNothing',
  },
  'kubectl describe agent NAME -n NAMESPACE': reads(/AgentReady/),
  'kubectl get lease retainer-NAME -n NAMESPACE -o yaml': reads(/holderIdentity/),
  'kubectl exec retainer-NAME-0 -c agent -n NAMESPACE -- df -h /data': reads(/\/data/),
  'kubectl logs retainer-NAME-0 -c agent -n NAMESPACE': reads(/"level":/),
  'kubectl logs retainer-NAME-0 -c auditor -n NAMESPACE': reads(/"level":/),
  'kubectl get tasks -n NAMESPACE': reads(/done +.*Accepted/),
  'kubectl get tasks -n NAMESPACE -o wide': reads(/done +.*Accepted/),
  "kubectl get agent NAME -n NAMESPACE -o jsonpath='{.spec.budgets}'": reads(/tokens|approvals/),
  'kubectl -n retainer-sandboxes get jobs,pods -l app.kubernetes.io/component=canary': reads(/canary/),
  'kubectl -n retainer-sandboxes get pods -o wide': reads(/NODE[^]*\bRunning\b/),
  'kubectl get events -n retainer-sandboxes': reads(/SuccessfulCreate/),
  'kubectl get events -A --field-selector involvedObject.kind=SandboxRun': reads(
    /(?:OutOfMemory|Killed) +sandboxrun\//,
  ),
  'kubectl get sandboxruns -A': reads(/^NAMESPACE [^]* puppet\b/),
  'kubectl describe sandboxrun SANDBOXRUN -n NAMESPACE': reads(/Kind: +SandboxRun/),
  'kubectl -n retainer-sandboxes get pods -l retainer.dev/sandbox-pool': reads(/pool-puppet-\S+ +[01]\/1/),

  [`kubectl patch agent NAME -n NAMESPACE --type=merge -p '{"spec":{"memory":{"storage":"20Gi"}}}'`]: {
    how: 'Run',
    shows: /patched/,
    with: DRY,
  },
  'kubectl -n NAMESPACE create secret generic redis --from-file=url=FILE': {
    how: 'Run',
    shows: /created/,
    phase: 'Decides',
  },
  [`kubectl -n NAMESPACE patch agent NAME --type=merge -p '{"spec":{"bus":{"redis":{"urlSecretRef":{"name":"redis","key":"url"}}},"pod":{"egressCidrs":["ADDRESS/32"]}}}'`]:
    { how: 'Run', shows: /patched/, with: DRY },
  'kubectl -n NAMESPACE annotate agent NAME --overwrite retainer.dev/restart-requested-at="$(date -u +%FT%TZ)"': {
    how: 'Run',
    shows: /annotated/,
    with: DRY,
  },
  [`kubectl patch agent NAME -n NAMESPACE --type=merge -p '{"spec":{"memory":{"gitRemote":{"branch":"BRANCH"}}}}'`]: {
    how: 'Elsewhere',
    test: 'test/e2e/backup.test.ts',
    of: 'e2e:remote-copy',
    says: '"gitRemote":{"branch":',
  },
  'kubectl logs retainer-NAME-0 -c agent --previous -n NAMESPACE': reads(/"level":/),
  [SUSPEND]: {
    how: 'Run',
    shows: /patched/,
    phase: 'Suspended',
  },
  'kubectl -n NAMESPACE wait --for=delete pod/retainer-NAME-0 --timeout=120s': {
    how: 'Run',
    shows: /retainer-puppet-0 condition met/,
    phase: 'Suspended',
  },
  // On a record that somebody damaged.
  'retainer journal repair --agent NAME -n NAMESPACE --yes --reason "why"': {
    ...REPAIRED,
    says: "record('repair', '--yes'",
  },
  'retainer journal acknowledge cycle --agent NAME -n NAMESPACE --reason "why"': {
    ...REPAIRED,
    says: "record('acknowledge', 'cycle'",
  },
  'retainer journal repair --agent NAME -n NAMESPACE': {
    how: 'Run',
    shows: /nothing to repair/,
    phase: 'Suspended',
  },
  [`kubectl -n retainer-system patch deployment retainer-operator --subresource=status -p '{"status":{"conditions":[{"type":"AgentsTended","$patch":"delete"}]}}'`]:
    { how: 'Elsewhere', test: 'test/e2e/release.test.ts', of: 'e2e:two-releases', says: '"$patch":"delete"' },
  [`kubectl -n NAMESPACE patch agent NAME --type=merge -p '{"spec":{"suspend":false}}'`]: {
    how: 'Run',
    shows: /patched/,
    phase: 'Suspended',
  },
  'retainer journal acknowledge cycle/21 --agent NAME -n NAMESPACE --reason "why"': {
    ...REPAIRED,
    says: "record('acknowledge', place",
  },
  'retainer journal acknowledge cycle/21 --agent NAME -n NAMESPACE --reason TEXT': {
    ...REPAIRED,
    says: "record('acknowledge', place",
  },
  'retainer journal verify --agent NAME -n NAMESPACE': reads(/verified: every record/),
  'retainer journal show --agent NAME -n NAMESPACE --store cycle': reads(/GateDecided/),
  "helm install retainer charts/retainer --namespace team-b-system --create-namespace --set 'watchNamespaces={team-b}' --set sandbox.namespace.name=team-b-sandboxes --set crds.install=false":
    {
      how: 'Elsewhere',
      test: 'test/e2e/release.test.ts',
      of: 'e2e:two-releases',
      says: "'sandbox.namespace.name': SECOND_SANDBOXES }, SECOND)",
    },
  'kubectl delete pod --force': {
    how: 'Elsewhere',
    test: 'test/e2e/record.test.ts',
    of: 'e2e:lost-pod',
    says: "'delete', 'pod', pod, '-n', namespace, '--force'",
  },
  'retainer rollout status': reads(/wave \d+ of \d+: \d+ of \d+ working agents are Ready with it/),
  'retainer rollout resume': reads(/no rollout is halted/),
  'kubectl -n retainer-system create role retainer-rollout --verb=get,patch --resource=configmaps --resource-name=retainer-rollout':
    { how: 'Run', shows: /created/, with: DRY },
  'retainer replay RUN --character FILE': {
    how: 'Run',
    shows: /would differ/,
    task: 'done',
    words: { FILE: 'manifests/examples/character.yaml' },
    with: '--data COPY',
  },
  [`kubectl patch agent NAME -n NAMESPACE --type merge -p '{"spec":{"suspend":true}}'`]: { how: 'As', row: SUSPEND },
  [`kubectl patch agent NAME -n NAMESPACE --type=merge -p '{"spec":{"suspend":true}}'`]: { how: 'As', row: SUSPEND },
  'kubectl -n retainer-system delete secret retainer-signing-key': {
    ...NEW_KEY,
    says: "'delete', 'secret', 'retainer-signing-key'",
  },
  'kubectl -n retainer-system rollout restart deployment retainer-operator': {
    ...NEW_KEY,
    says: "'rollout', 'restart', 'deployment', 'retainer-operator'",
  },

  'retainer journal verify DIR': reads(/verified: every record/),
  'retainer explain --data DIR': reads(/Accepted/),
  'npm run build': { how: 'Here', in: 'Repository', shows: /^> tsc -b$/m },
  [`${AUDITOR} --help`]: reads(/--once/),
  [`${AUDITOR} --journal COPY/journal --own /somewhere/else --once`]: reads(/"alarms":0,.*the journal is unchanged/),
  [`${AUDITOR} --journal DATA/journal --own /somewhere/else --port 9465`]: {
    how: 'Run',
    shows: /"level":/,
    with: 'timeout',
  },
  [`${AUDITOR} --journal DATA/journal --own DIR --set-aside cycle --reason "restored the backup of 3 May"`]: {
    how: 'Run',
    shows: /older heads are no longer compared/,
    words: { DIR: '/somewhere/else' },
  },
  [`${AUDITOR} --journal DATA/journal --own DIR --set-aside cycle/21 --by ada --reason "a bad sector; see the copy"`]: {
    how: 'Elsewhere',
    test: 'test/integration/cli-auditor.test.ts',
    of: 'cli:acknowledge-at-work',
    says: "acknowledge('cycle/5')",
  },
  'retainer journal acknowledge cycle/21 --data DIR --reason TEXT': {
    how: 'Elsewhere',
    test: 'test/integration/cli-auditor.test.ts',
    of: 'cli:acknowledge-at-work',
    says: "acknowledge('cycle/5')",
  },
  ...backupCommandRows,
  ...jobsCommandRows,
  ...mailCommandRows,
  ...cliCommandRows,
  ...pageCommandRows,
};
