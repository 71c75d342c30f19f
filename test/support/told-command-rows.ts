/** The commands of kubectl that conditions, errors and `retainer doctor` tell people to type, and how each is run by a test. */
import type { ClusterRow, CommandRow } from './command-row.ts';

const as = (row: string): CommandRow => ({ how: 'As', row });
const given = (shows: RegExp, values: readonly string[], more: Partial<ClusterRow> = {}): ClusterRow => ({
  ...{ how: 'Run', shows, ...more },
  words: Object.fromEntries(values.map((value, index) => [`<${index + 1}>`, value])),
});
/** It types what the error says, as somebody who may. */
const granted = (says: string): CommandRow => ({
  ...{ how: 'Elsewhere', test: 'test/e2e/commands.test.ts', of: 'e2e:missing-right-named' },
  says,
});

const CANARY = 'retainer.dev/canary';
const DESCRIBED_AGENT = 'kubectl describe agent NAME -n NAMESPACE';
const LOG = 'kubectl logs retainer-NAME-0 -c agent -n NAMESPACE';
const LOG_BEFORE = 'kubectl logs retainer-NAME-0 -c agent --previous -n NAMESPACE';
const OPERATOR_LOG = 'kubectl -n retainer-system logs -l app.kubernetes.io/name=operator --tail=50';
const CANARY_JOBS = 'kubectl -n <1> describe jobs -l <2>=true';
const LABELLED = 'kubectl label --overwrite namespace <1> <2>=restricted';
const CLAIM = 'kubectl -n <1> describe pvc <2>';

/** Without those that a page prints, too. */
export const toldRows: Readonly<Record<string, CommandRow>> = {
  'kubectl create configmap <1> --from-file=<2>=FILE': given(/created/, ['told', 'ca.crt'], {
    ...{ with: '-n NAMESPACE', phase: 'Decides' },
  }),
  'kubectl create secret generic <1> --from-literal=<2>=…': given(/created/, ['told', 'key'], {
    ...{ with: '-n NAMESPACE', phase: 'Decides' },
  }),
  'kubectl -n <1> create role <2> --verb=get,create --resource=pods/exec --resource-name=<3>':
    granted('`--role=${pod}-reader`'),
  'kubectl -n <1> create rolebinding <2> --role=<3> <4>': granted('`--role=${pod}-reader`'),
  'kubectl -n <1> create rolebinding <2> --clusterrole=<3> <4>': granted("'--clusterrole=retainer-view'"),
  'kubectl get clusterroles -l <1>': given(/^retainer-approver /m, ['retainer.dev/for=people']),
  'kubectl -n <1> patch agent <2> --type=merge -p \'{"spec":{"suspend":true}}\'': as(
    `kubectl -n NAMESPACE patch agent NAME --type=merge -p '{"spec":{"suspend":true}}'`,
  ),
  'kubectl -n <1> patch agent <2> --type=merge -p \'{"spec":{"suspend":false}}\'': as(
    `kubectl -n NAMESPACE patch agent NAME --type=merge -p '{"spec":{"suspend":false}}'`,
  ),
  'kubectl -n <1> patch deployment <2> --subresource=status -p \'{"status":{"conditions":[{"type":"<3>","$patch":"delete"}]}}\'':
    as(
      `kubectl -n retainer-system patch deployment retainer-operator --subresource=status -p '{"status":{"conditions":[{"type":"AgentsTended","$patch":"delete"}]}}'`,
    ),
  'kubectl -n <1> wait --for=delete pod/<2> --timeout=120s': as(
    'kubectl -n NAMESPACE wait --for=delete pod/retainer-NAME-0 --timeout=120s',
  ),
  'kubectl -n <1> annotate agent <2> --overwrite <3>=<4>': as(
    'kubectl -n NAMESPACE annotate agent NAME --overwrite retainer.dev/individual=UUID',
  ),

  'kubectl -n <1> describe agent <2>': as(DESCRIBED_AGENT),
  'kubectl describe agent <1> -n <2>': as(DESCRIBED_AGENT),
  'kubectl get agents --all-namespaces': as('kubectl get agents -A'),
  'kubectl get agents -A -o custom-columns=NAME:.metadata.name,FAST:.spec.models.fast,CAPABLE:.spec.models.capable':
    given(/^\S+ +FAST +CAPABLE[^]*^puppet /m, []),
  // Kind, name and namespace.
  'kubectl describe <1> <2> -n <3>': given(/Kind: +CharacterSpec/, ['characterspec', 'obedient', 'NAMESPACE']),
  'kubectl -n <1> describe <2> <3>': as('kubectl describe <1> <2> -n <3>'),
  'kubectl -n <1> describe pod <2>': given(/Name: +retainer-puppet-0\b/, ['NAMESPACE', 'retainer-NAME-0']),
  'kubectl describe statefulset <1>': given(/Replicas: +1 desired/, ['retainer-NAME'], { with: '-n NAMESPACE' }),
  [CLAIM]: given(/Status: +Bound/, ['NAMESPACE', 'data-retainer-NAME-0']),
  'kubectl describe pvc <1>': as(CLAIM),
  'kubectl get storageclass': given(/\(default\)/, []),
  'kubectl annotate storageclass <1> <2>=true': given(
    /annotated/,
    ['STORAGECLASS', 'storageclass.kubernetes.io/is-default-class'],
    { with: '--dry-run=server --overwrite' },
  ),
  'kubectl -n <1> logs <2>-0 -c agent --tail=50': as(LOG),
  'kubectl logs <1> -c <2>': as(LOG),
  'kubectl logs <1> -c agent -n <2>': as(LOG),
  'kubectl logs <1>-0 -c agent -n <2>': as(LOG),
  'kubectl logs <1> -c agent --previous': as(LOG_BEFORE),
  'kubectl logs <1> -c <2> --previous': as(LOG_BEFORE),

  'kubectl -n <1> get jobs,pods -l <2>=true': given(/^job\.batch\/\S+ /m, ['retainer-sandboxes', CANARY]),
  [CANARY_JOBS]: given(/retainer\.dev\/canary=true/, ['retainer-sandboxes', CANARY]),
  'kubectl describe jobs -n <1>': as(CANARY_JOBS),
  'kubectl describe job -n <1> <2>': as(CANARY_JOBS),
  [LABELLED]: given(/^namespace\/\S+ (?:not )?labeled$/m, [...['NAMESPACE', 'pod-security.kubernetes.io/enforce']]),
  'kubectl label --overwrite namespace <1> <2>=<3>': as(LABELLED),

  'kubectl auth can-i <1>': given(/^yes$/m, ['list tasks']),
  'kubectl get --raw /readyz?verbose': as("kubectl get --raw '/readyz?verbose'"),
  "kubectl get validatingadmissionpolicy <1> -o jsonpath='{.status.typeChecking}'": given(/^\{/, [
    'retainer-approvals',
  ]),
  'kubectl -n <1> describe deployment <2>': as('kubectl -n retainer-system describe deployment retainer-operator'),
  'kubectl -n <1> scale deployment <2> --replicas=2': given(/retainer-operator scaled/, [
    ...['retainer-system', 'retainer-operator'],
  ]),
  'kubectl -n <1> rollout restart deployment <2>': as(
    'kubectl -n retainer-system rollout restart deployment retainer-operator',
  ),
  'kubectl -n <1> get lease <2> -o yaml': as('kubectl -n retainer-system get lease retainer-operator -o yaml'),
  'kubectl -n <1> logs -l app.kubernetes.io/name=operator --tail=50': as(OPERATOR_LOG),
  'kubectl -n <1> logs -l app.kubernetes.io/name=<2> --tail=20 --prefix': as(OPERATOR_LOG),

  'kubectl apply -f -': as('retainer override TASK -n NAMESPACE --reason WHY | kubectl apply -f -'),
  'kubectl apply -n team -f -': as('retainer skill add pdf-tools/ | kubectl apply -n NAMESPACE -f -'),
};
