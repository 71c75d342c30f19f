/** The page of what has no effect yet, made from the table. */
import { WORKER_ROLES, workerRow } from '../src/api/roles.ts';
import { notYet, type NotYet } from '../src/api/not-yet.ts';

const kinds = ['Agent', 'Task', 'Skill', 'CharacterSpec', 'SandboxRun'] as const satisfies readonly NotYet['kind'][];

const needs = WORKER_ROLES.map((name) => `${name}: \`${workerRow(name).needs}\``).join(', ');

/** `docs/not-yet.md`, whole. */
export function renderNotYet(): string {
  const named = kinds.filter((kind) => notYet.some((it) => it.kind === kind));
  const sections = named.map((kind) => {
    const rows = notYet.filter((it) => it.kind === kind).map(rowText);
    return [`## ${kind}`, '', '| field | without a cluster | on a cluster |', '|---|---|---|', ...rows, ''].join('\n');
  });
  return [
    '# Not yet',
    '',
    'Generated from `contract/src/api/not-yet.ts` by `npm run gen`.',
    '',
    'Manifests may set these fields, each with everything below it, and they are checked as all others are. They have no effect',
    'without a cluster; the last column says which of them hold on one. `retainer run` warns of each that differs from its default.',
    'On a cluster the condition `FieldsInEffect` of an Agent, a CharacterSpec or a Skill names them, and `retainer doctor` does.',
    '',
    'What is set for a worker has no effect either where the Agent does not have the worker: it is turned off in',
    `\`spec.specialists.overrides\`, or its tool does not exist for the Agent (${needs}).`,
    'The Agent’s condition names such a field, even if it is in the CharacterSpec.',
    '',
    ...sections,
  ].join('\n');
}

function rowText({ path, unless, instead, holdsOnCluster }: NotYet): string {
  const others = unless === undefined ? '' : `, but for ${unless.names.join(', ')}`;
  return `| \`${path}\`${others} | ${instead} | ${holdsOnCluster ? 'holds' : 'not yet'} |`;
}
