/**
 * Manifest fields without an effect outside a cluster, and the actual behaviour; some work on a cluster. `npm run gen` writes
 * `docs/not-yet.md` from this table, less what a part brings into effect; `retainer run` and the operator warn of ineffective
 * fields. Remove a line when its field works here. What depends on the workers of one Agent is not in the table: see `unplayed-workers.ts`.
 */
import { MAIL_FIELDS } from './agent-channels.ts';
import { fieldsOfParts } from './fields-of-parts.ts';
import { MODEL_ROLES, WORKER_ROLES } from './roles.ts';

export interface NotYet {
  readonly kind: 'Agent' | 'Task' | 'Skill' | 'CharacterSpec' | 'SandboxRun';
  /** The field and everything below it; `[]` means every item of a list. */
  readonly path: string;
  /**
   * Only if `path` ends in `[]`: items with one of these names have an effect, upper or lower case. `key`: the item's field
   * with the name; absent if the item is the name.
   */
  readonly unless?: { readonly key?: string; readonly names: readonly string[] };
  /** A clause that follows "has no effect yet:". */
  readonly instead: string;
  /** Whether the field works on a cluster. */
  readonly holdsOnCluster: boolean;
}

type Line = Omit<NotYet, 'holdsOnCluster'>;

/** Fields that work on a cluster, by kind; each has a line in the table. */
export const clusterFields: Readonly<Record<NotYet['kind'], readonly string[]>> = {
  Agent: [
    'spec.models.apiKeySecretRef',
    'spec.models.caBundleRef',
    'spec.memory.storage',
    'spec.memory.storageClassName',
    'spec.memory.onDelete',
    'spec.memory.embedding.apiKeySecretRef',
    'spec.memory.gitRemote.credentialsSecretRef',
    'spec.memory.gitRemote.caBundleRef',
    'spec.channels.email.credentialsSecretRef',
    'spec.bus',
    'spec.control.watchdogFactor',
    'spec.sandbox.image',
    'spec.sandbox.resources',
    'spec.sandbox.scratch',
    'spec.sandbox.egress',
    'spec.sandbox.runtimeClassName',
    'spec.sandbox.requireRuntimeClass',
    'spec.sandbox.root',
    'spec.sandbox.serve',
    'spec.sandbox.pool',
    'spec.sandbox.nodeSelector',
    'spec.sandbox.tolerations',
    'spec.pod',
  ],
  Task: ['spec.ttlSecondsAfterFinished'],
  // The operator mounts a skill's dependencies, compares versions, and reports the successor of a deprecated skill.
  Skill: ['spec.successor', 'spec.dependencies', 'spec.configMapRef'],
  CharacterSpec: [],
  SandboxRun: [],
};

const NO_TEAMS = 'there are no teams yet: each subtask has one worker';
const NO_POD = 'the agent is a process on this machine';
const NO_MAIL = 'the agent reads and writes no mail';
const OWN_DIRECTORY = 'the record is in the data directory';
const BUBBLEWRAP_ONLY = 'bubblewrap on this machine runs the code';

const callingRoles: readonly string[] = ['Executor', ...WORKER_ROLES];

const lines: readonly Line[] = [
  ...agentModels(),
  ...agentRest(),
  { kind: 'Task', path: 'spec.ttlSecondsAfterFinished', instead: 'no object is deleted; the record keeps every run' },
  { kind: 'Skill', path: 'spec.successor', instead: 'no skill replaces another one' },
  {
    kind: 'Skill',
    path: 'spec.agents[]',
    unless: { names: ['*', 'Cognitive', ...callingRoles] },
    instead: 'no specialist has this name yet',
  },
  { kind: 'Skill', path: 'spec.contexts', instead: 'the skill is offered in every domain' },
  {
    kind: 'Skill',
    path: 'spec.dependencies',
    instead: 'name each skill in skillRefs of the Agent; versions are not compared',
  },
  {
    kind: 'Skill',
    path: 'spec.configMapRef',
    instead: 'the model sees name and description only; give the text as body',
  },
  {
    kind: 'CharacterSpec',
    path: 'spec.gatePolicies.agentOverrides[]',
    unless: { key: 'agent', names: callingRoles },
    instead: 'no specialist has this name yet',
  },
  {
    kind: 'SandboxRun',
    path: 'spec.files[].executable',
    instead: 'code names its interpreter; no file is executed directly',
  },
];

export const notYet: readonly NotYet[] = lines.filter(isNotOfPart).map((line) => ({
  ...line,
  holdsOnCluster: clusterFields[line.kind].includes(line.path),
}));

/** A part brings all below its field into effect, but for what comes from elsewhere without a cluster. */
function isNotOfPart({ kind, path }: Line): boolean {
  if (clusterFields[kind].includes(path)) return true;
  return !fieldsOfParts.some((field) => `${kind} ${path}.`.startsWith(`${field}.`));
}

function agentModels(): readonly Line[] {
  return [
    ...agent([
      ['spec.models.apiKeySecretRef', 'the key comes from ANTHROPIC_API_KEY'],
      ['spec.models.caBundleRef', 'further authorities come from the file that NODE_EXTRA_CA_CERTS names'],
    ]),
    {
      kind: 'Agent',
      path: 'spec.models.roles[]',
      unless: { key: 'role', names: MODEL_ROLES },
      instead: 'this role calls no model yet',
    },
    {
      kind: 'Agent',
      path: 'spec.specialists.overrides[]',
      unless: { key: 'name', names: WORKER_ROLES },
      instead: 'no specialist has this name yet',
    },
  ];
}

function agentRest(): readonly Line[] {
  return agent([
    ['spec.limits.inboxLength', 'the agent takes every command on the disk'],
    ['spec.limits.delegationDepth', 'a worker cannot delegate further'],
    ['spec.memory.storage', OWN_DIRECTORY],
    ['spec.memory.storageClassName', OWN_DIRECTORY],
    ['spec.memory.onDelete', OWN_DIRECTORY],
    ['spec.memory.embedding.apiKeySecretRef', 'the key comes from RETAINER_EMBEDDING_API_KEY'],
    [
      'spec.memory.gitRemote.credentialsSecretRef',
      'name and password come from RETAINER_GIT_USERNAME and RETAINER_GIT_PASSWORD, or from files in RETAINER_GIT_CREDENTIALS',
    ],
    ['spec.memory.gitRemote.caBundleRef', 'further authorities come from the file that NODE_EXTRA_CA_CERTS names'],
    ['spec.memory.snapshots', 'files and their git repository hold the whole record; snapshots do not exist yet'],
    ['spec.memory.blobThresholdBytes', 'payloads above 64 KiB are stored in separate files'],
    ['spec.sandbox.image', BUBBLEWRAP_ONLY],
    ['spec.sandbox.resources', 'the limits of memory and processor are fixed'],
    ['spec.sandbox.scratch', 'the limit of written files is fixed'],
    ['spec.sandbox.egress', 'code has no network'],
    ['spec.sandbox.runtimeClassName', BUBBLEWRAP_ONLY],
    ['spec.sandbox.requireRuntimeClass', BUBBLEWRAP_ONLY],
    ['spec.sandbox.root', 'code runs as an unprivileged user'],
    ['spec.sandbox.serve', 'code has no network, so it cannot serve'],
    ['spec.sandbox.pool', 'each run of code creates its own sandbox'],
    ['spec.sandbox.nodeSelector', NO_POD],
    ['spec.sandbox.tolerations', NO_POD],
    ['spec.tools.search', 'no tool searches the web'],
    ['spec.tools.mcpServers', 'the agent uses no tool servers'],
    ['spec.specialists.teamMembersMax', NO_TEAMS],
    ['spec.specialists.teamRoundsMax', NO_TEAMS],
    ['spec.specialists.teamTokensMax', NO_TEAMS],
    ['spec.channels.chat', 'there is no console or chat'],
    ['spec.channels.inbox', 'the agent reads no file of requests'],
    ...mailFields(),
    ['spec.budgets.hopsMax', NO_MAIL],
    ['spec.budgets.pairExchangesMax', NO_MAIL],
    ['spec.bus', 'RETAINER_REDIS_URL names the Redis'],
    ['spec.control.watchdogFactor', 'the Task’s own wall clock and deadline end a run'],
    ['spec.scheduler', 'the agent starts nothing by itself'],
    ['spec.curiosity', 'the agent does not explore'],
    ['spec.upkeep.summaries', 'no summaries are written'],
    ['spec.upkeep.skillPromotion', 'the agent proposes no skills'],
    ['spec.upkeep.forecaster', 'nobody assesses open work between Tasks'],
    ['spec.pod', NO_POD],
  ]);
}

function mailFields(): readonly (readonly [path: string, instead: string])[] {
  const elsewhere: Readonly<Record<string, string>> = {
    credentialsSecretRef:
      'name and password come from RETAINER_MAIL_USERNAME and RETAINER_MAIL_PASSWORD, or from files in RETAINER_MAIL_CREDENTIALS',
  };
  return MAIL_FIELDS.map((field) => [`spec.channels.email.${field}`, elsewhere[field] ?? NO_MAIL]);
}

function agent(lines: readonly (readonly [path: string, instead: string])[]): readonly Line[] {
  return lines.map(([path, instead]) => ({ kind: 'Agent', path, instead }));
}
