import { nested, type CelCase, type Patch } from './cel-case.ts';

/** A case below `spec` of an Agent, at the node that carries the rule. */
function at(node: string, message: string, accepted: Patch, refused: Patch): CelCase {
  const path = node === '' ? ['spec'] : ['spec', ...node.split('.')];
  return {
    kind: 'Agent',
    path: path.join('.'),
    message,
    accepted: nested(path, accepted),
    refused: nested(path, refused),
  };
}

const EMAIL = {
  address: 'ada@example.org',
  imap: { host: 'imap.example.org' },
  smtp: { host: 'smtp.example.org' },
  credentialsSecretRef: { name: 'mail' },
} as const;

const SECRET_KEY = { name: 'secret', key: 'key' } as const;

function rolesThink(thinking: Patch): Patch {
  return { spec: { models: { roles: [{ role: 'Planner', tier: 'Capable', thinking }] } } };
}

export const agentCases: readonly CelCase[] = [
  {
    kind: 'Agent',
    path: '',
    message:
      'metadata.name must start with a letter, hold only lower-case letters, digits and hyphens, and be at most 40 long',
    accepted: { metadata: { name: 'a'.repeat(40) } },
    refused: { metadata: { name: 'a'.repeat(41) } },
  },
  at(
    '',
    'curiosity needs the scheduler',
    { curiosity: { enabled: true } },
    { curiosity: { enabled: true }, scheduler: { enabled: false } },
  ),
  at(
    '',
    'limits.outputTokensPerCall must be below limits.contextTokens',
    { limits: { outputTokensPerCall: 8192, contextTokens: 16_384 } },
    { limits: { outputTokensPerCall: 8192, contextTokens: 8192 } },
  ),
  at(
    '',
    'limits.outputTokensPerCall must not be above limits.tokensPerCycle',
    { limits: { outputTokensPerCall: 4000, tokensPerCycle: 4000 } },
    { limits: { outputTokensPerCall: 4001, tokensPerCycle: 4000 } },
  ),
  at(
    'models',
    'the provider Scripted needs script',
    { provider: 'Scripted', script: 'a.yaml' },
    { provider: 'Scripted' },
  ),
  at(
    'models',
    'script and scriptConfigMapRef belong to the provider Scripted',
    { provider: 'Anthropic' },
    { script: 'a.yaml' },
  ),
  at(
    'models',
    'with scriptConfigMapRef, script is a key and must not hold "/"',
    { provider: 'Scripted', script: 'a.yaml', scriptConfigMapRef: { name: 'scripts' } },
    { provider: 'Scripted', script: 'scripts/a.yaml', scriptConfigMapRef: { name: 'scripts' } },
  ),
  at(
    'models',
    'apiKeySecretRef, baseURL and caBundleRef belong to the provider Anthropic',
    { apiKeySecretRef: SECRET_KEY, baseURL: 'https://models.example.org', caBundleRef: { name: 'ca', key: 'ca.crt' } },
    { provider: 'Scripted', script: 'a.yaml', apiKeySecretRef: SECRET_KEY },
  ),
  at(
    'models',
    'a role has a temperature, and its model takes none',
    { capable: 'claude-sonnet-4-6-20260101', roles: [{ role: 'Executor', tier: 'Capable', temperature: 0.2 }] },
    { roles: [{ role: 'Executor', tier: 'Capable', temperature: 0.2 }] },
  ),
  {
    kind: 'Agent',
    path: 'spec.models.roles[].thinking',
    message: 'thinking needs either effort or budgetTokens',
    accepted: rolesThink({ effort: 'High' }),
    refused: rolesThink({ effort: 'High', budgetTokens: 2048 }),
  },
  at(
    'models',
    'a Fast MetaValidator must not judge a Capable Planner; set the MetaValidator to Capable or the Planner to Fast',
    {
      roles: [
        { role: 'MetaValidator', tier: 'Fast' },
        { role: 'Planner', tier: 'Fast' },
      ],
    },
    { roles: [{ role: 'MetaValidator', tier: 'Fast' }] },
  ),
  at(
    'models',
    'a Fast AgentValidator must not judge the steps of a Capable Planner; set the AgentValidator to Capable or the Planner to Fast',
    {
      roles: [
        { role: 'AgentValidator', tier: 'Fast' },
        { role: 'Planner', tier: 'Fast' },
      ],
    },
    { roles: [{ role: 'AgentValidator', tier: 'Fast' }] },
  ),
  at(
    'memory.embedding',
    'the provider Http needs baseURL and model',
    { provider: 'Http', baseURL: 'https://vectors.example/v1', model: 'embed-1' },
    { provider: 'Http', baseURL: 'https://vectors.example/v1' },
  ),
  at(
    'memory.embedding',
    'baseURL, model and apiKeySecretRef belong to the provider Http',
    { provider: 'None' },
    { provider: 'None', apiKeySecretRef: SECRET_KEY },
  ),
  at('memory', 'gitCommitInterval must be at least 1s', { gitCommitInterval: '1s' }, { gitCommitInterval: '999ms' }),
  {
    kind: 'Agent',
    path: 'spec.memory',
    message: 'storageClassName cannot be changed; the volume exists already',
    before: { spec: { memory: { storageClassName: 'fast' } } },
    accepted: { spec: { memory: { storageClassName: 'fast', windowDays: 60 } } },
    refused: { spec: { memory: { storageClassName: undefined } } },
  },
  at('sandbox', 'timeout must be between 1s and 24h', { timeout: '24h' }, { timeout: '24h1s' }),
  at(
    'sandbox',
    'requireRuntimeClass needs runtimeClassName',
    { requireRuntimeClass: true, runtimeClassName: 'gvisor' },
    { requireRuntimeClass: true },
  ),
  at(
    'sandbox',
    'pool.size must not be above pool.maxConcurrent',
    { pool: { size: 3, maxConcurrent: 3 } },
    { pool: { size: 3, maxConcurrent: 2 } },
  ),
  at(
    'sandbox',
    'a disabled sandbox has no egress, pool, root or serve',
    { enabled: false },
    { enabled: false, serve: true },
  ),
  at(
    'tools',
    'fetch needs allowedDomains or allowAnyPublicHost',
    { fetch: { enabled: true, allowedDomains: ['example.org'] } },
    { fetch: { enabled: true } },
  ),
  at(
    'tools',
    'a search provider needs apiKeySecretRef',
    { search: { provider: 'Brave', apiKeySecretRef: SECRET_KEY } },
    { search: { provider: 'Brave' } },
  ),
  at(
    'channels.email',
    'pollInterval must be between 10s and 24h',
    { ...EMAIL, pollInterval: '10s' },
    { ...EMAIL, pollInterval: '9s' },
  ),
  at(
    'channels.email',
    'allowedSenders must not contain address: the agent would answer itself',
    { ...EMAIL, allowedSenders: ['bob@example.org'] },
    { ...EMAIL, allowedSenders: ['Ada@example.org'] },
  ),
  ...['owners', 'approvers', 'agentPeers'].flatMap((field) => [
    at(
      'channels.email',
      `${field} must be in allowedSenders, by address or by *@ and the domain`,
      { ...EMAIL, allowedSenders: ['*@Example.org', 'eve@other.org'], [field]: ['Bob@example.org', 'Eve@other.org'] },
      { ...EMAIL, allowedSenders: ['*@example.org'], [field]: ['bob@sub.example.org'] },
    ),
    at(
      'channels.email',
      `${field} must not contain address, which is the agent’s own`,
      { ...EMAIL, allowedSenders: ['*@example.org'], [field]: ['bob@example.org'] },
      { ...EMAIL, allowedSenders: ['*@example.org'], [field]: ['Ada@example.org'] },
    ),
  ]),
  ...['owners', 'approvers'].map((field) =>
    at(
      'channels.email',
      `${field} must not contain an address of agentPeers: it is for people`,
      { ...EMAIL, allowedSenders: ['*@example.org'], [field]: ['bob@example.org'], agentPeers: ['bot@example.org'] },
      { ...EMAIL, allowedSenders: ['*@example.org'], [field]: ['bot@example.org'], agentPeers: ['Bot@example.org'] },
    ),
  ),
  at(
    'gates',
    'modify must not be above reject in a gate’s overrides',
    { overrides: [{ gate: 'Tool', modify: 0.3, reject: 0.3 }] },
    { overrides: [{ gate: 'Tool', modify: 0.4, reject: 0.3 }] },
  ),
  at(
    'gates',
    'tightenFloorModify must not be above tightenFloorReject',
    { meta: { tightenFloorModify: 0.4 } },
    { meta: { tightenFloorModify: 0.5 } },
  ),
  at('control', 'timeBudget must be between 1s and 168h', { timeBudget: '1s' }, { timeBudget: '0s' }),
  at(
    'control.weights',
    'alpha plus the greater of beta and lambda must be at most 1, because the loss must stay between 0 and 1',
    { alpha: 0.5, beta: 0.5 },
    { alpha: 0.6, beta: 0.5 },
  ),
  at('control.weights', 'w1 and w2 must sum to 1', { w1: 1, w2: 0 }, { w1: 0.6, w2: 0.5 }),
  at(
    'scheduler',
    'jobs has more entries than maxJobs allows',
    { maxJobs: 1, jobs: [{ name: 'daily', cron: '0 6 * * *', intent: 'Report.' }] },
    { maxJobs: 0, jobs: [{ name: 'daily', cron: '0 6 * * *', intent: 'Report.' }] },
  ),
  at(
    'curiosity',
    'a budget in domains must not exceed the budget of the whole day',
    { minutesPerDay: 10, domains: [{ domain: 'WebExploration', minutesPerDay: 10 }] },
    { minutesPerDay: 10, domains: [{ domain: 'WebExploration', minutesPerDay: 11 }] },
  ),
  at(
    'pod',
    'label keys of retainer.dev and app.kubernetes.io are reserved',
    { labels: { team: 'weather' } },
    { labels: { 'retainer.dev/agent': 'other' } },
  ),
  at(
    'pod',
    'annotation keys of retainer.dev are reserved',
    { annotations: { 'example.org/note': 'x' } },
    { annotations: { 'retainer.dev/character-digest': 'x' } },
  ),
];
