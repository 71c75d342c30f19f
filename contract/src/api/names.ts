/** All names shared by the operator, the agent, the command line and a cluster. */

export const GROUP = 'retainer.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;
/** `kubectl get retainer` lists all kinds. */
export const CATEGORY = 'retainer';

/** In the order of the documentation. */
export const KINDS = ['Agent', 'Task', 'Skill', 'CharacterSpec', 'SandboxRun'] as const;
export type KindName = (typeof KINDS)[number];

/** Label keys on what the operator creates. Values are bounded names, never text from a person or a model. */
export const LABELS = {
  name: 'app.kubernetes.io/name',
  instance: 'app.kubernetes.io/instance',
  component: 'app.kubernetes.io/component',
  partOf: 'app.kubernetes.io/part-of',
  version: 'app.kubernetes.io/version',
  managedBy: 'app.kubernetes.io/managed-by',
  agent: `${GROUP}/agent`,
  agentNamespace: `${GROUP}/agent-namespace`,
  task: `${GROUP}/task`,
  sandboxRun: `${GROUP}/sandbox-run`,
  sandboxRunNamespace: `${GROUP}/sandbox-run-namespace`,
  /** Distinguishes runs of the same name. */
  sandboxRunUid: `${GROUP}/sandbox-run-uid`,
  sandboxPool: `${GROUP}/sandbox-pool`,
  /** On the Job, pod and policy of a canary. */
  canary: `${GROUP}/canary`,
  networkRole: `${GROUP}/network-role`,
} as const;

/** NetworkPolicy of each namespace of sandboxes: nothing in, nothing out. */
export const DENY_ALL_NAME = 'retainer-deny-all';

export const ANNOTATIONS = {
  /** On the pod: digest of its CharacterSpec. */
  characterDigest: `${GROUP}/character-digest`,
  /** On the pod: digest of all mounted skills. */
  skillsDigest: `${GROUP}/skills-digest`,
  /** On the pod: digest of the mounted configuration; a change rolls the pod. */
  configDigest: `${GROUP}/config-digest`,
  /** On a Task: channel and id of its message, for dropping duplicates. */
  originId: `${GROUP}/origin-id`,
  /** On a Task with `spec.cancel`: why, and who says so, for the record. Admission lets nobody name another. */
  cancelReason: `${GROUP}/cancel-reason`,
  cancelledBy: `${GROUP}/cancelled-by`,
  /** On a Task with `spec.continueUnder`: the same. */
  continueReason: `${GROUP}/continue-reason`,
  continuedBy: `${GROUP}/continued-by`,
  /** On a SandboxRun: the tool call it serves. */
  toolCallId: `${GROUP}/tool-call-id`,
  /** On a Task of a schedule: its scheduled time. */
  scheduledFor: `${GROUP}/scheduled-for`,
  /** On a Task of a schedule: number of the run, from 1. */
  scheduleRun: `${GROUP}/schedule-run`,
  /** On the ConfigMap of a mounted skill: digest of the skill's text. */
  textDigest: `${GROUP}/text-digest`,
  /** On an agent's StatefulSet: digest of the pod template; a change restarts the agent. */
  templateDigest: `${GROUP}/template-digest`,
  /** On an agent's StatefulSet: the release that its template holds, and what is known of the one before. */
  rollout: `${GROUP}/rollout`,
  /** On a canary: digest of the facts on which its proof depends. */
  canaryWorld: `${GROUP}/canary-world`,
  /** On a canary, and on the Job of a run: digest of what keeps its namespace closed, as it stood when it was made. */
  canaryGround: `${GROUP}/canary-ground`,
  /** On a NetworkPolicy of the operator where code runs: its signature over name and spec. */
  seal: `${GROUP}/seal`,
  /** On a canary: number of flows to try. */
  canaryTargets: `${GROUP}/canary-targets`,
  /** On a pool of sandboxes: digest of its pod template. */
  poolTemplate: `${GROUP}/pool-template`,
  /** On a pool of sandboxes: number among the pools of its template, from 0. */
  poolGeneration: `${GROUP}/pool-generation`,
  /** On the pod of an agent whose ServiceAccount was made anew: its uid, to which a token is bound. */
  accountUid: `${GROUP}/account-uid`,
  /** On any object: a time; a new value requests a reconciliation. */
  reconcileRequestedAt: `${GROUP}/reconcile-requested-at`,
  /** On the operator's objects: digest of the applied fields. */
  appliedHash: `${GROUP}/applied-hash`,
  /**
   * On an agent's Lease, by the agent: the name of the individual on its volume. On an Agent, by a person: the individual that
   * this Agent may have from now on.
   */
  individual: `${GROUP}/individual`,
  /** On an agent's Lease, by its holder: who holds it, and where the lock of the journal is that the holder has. */
  writerPlace: `${GROUP}/writer-place`,
  /** On an agent's Lease, by its holder: how the second copy of its record stands, as `backup-note.ts` has it. */
  backup: `${GROUP}/backup`,
  /** On an agent's Lease, by its holder: how its jobs stand, as `agent-jobs.ts` has it. */
  jobs: `${GROUP}/jobs`,
  /** On an agent's Lease, by its holder: how its mail stands, as `agent-mail.ts` has it. */
  mail: `${GROUP}/mail`,
  /** On an Agent: a time; a new value restarts its pod. */
  restartRequestedAt: `${GROUP}/restart-requested-at`,
} as const;

/** One field manager of server-side apply per writer, so that none takes a field from another. */
export const FIELD_MANAGERS = {
  operatorChildren: 'retainer-operator-children',
  operatorStatus: 'retainer-operator-status',
  operatorDeadline: 'retainer-operator-deadline',
  operatorTended: 'retainer-operator-tended',
  agentTaskStatus: 'retainer-agent-task-status',
  agentSandbox: 'retainer-agent-sandbox',
  cli: 'retainer-cli',
} as const;

/** Node's options for the agent, which waits for models most of its time: 28 MiB less than with Node's own. */
export const AGENT_NODE_FLAGS = ['--max-semi-space-size=1', '--optimize-for-size'] as const;

/** One heap of the C library for all threads of a program; it would keep one for each, and give nothing back. */
export const MALLOC_ENV = { name: 'MALLOC_ARENA_MAX', value: '1' } as const;

/**
 * Node's options for the auditor: little memory rather than speed, as it rests most of the time. The optimizing compilers alone have
 * 8 MiB of the program resident.
 */
export const AUDITOR_NODE_FLAGS = [
  '--max-semi-space-size=1',
  '--max-old-space-size=64',
  '--optimize-for-size',
  '--no-opt',
  '--no-maglev',
] as const;

/** TCP ports inside pods. */
export const PORTS = {
  agentHttp: 8080,
  agentMetrics: 9090,
  auditorMetrics: 9091,
  operatorHealth: 8081,
  operatorMetrics: 8443,
  sandboxRunner: 7070,
  egressProxy: 3128,
} as const;

/** Mount paths in the agent pod. */
export const MOUNTS = {
  data: '/data',
  boot: '/etc/retainer/boot',
  skills: '/etc/retainer/skills',
  config: '/etc/retainer/config',
  secrets: '/etc/retainer/secrets',
  /** The only Secret for the auditor too. */
  bus: '/etc/retainer/bus',
  /** Authorities of the remote of the second copy. */
  gitAuthorities: '/etc/retainer/git-authorities',
  /** Authorities of mail servers. */
  mailAuthorities: '/etc/retainer/mail-authorities',
  workspaceSeeds: '/etc/retainer/workspace',
  auditorData: '/audit',
} as const;

/** Environment variables. Each program reads them in its `config.ts` only. */
export const ENV = {
  dataDir: 'RETAINER_DATA_DIR',
  agentName: 'RETAINER_AGENT_NAME',
  agentNamespace: 'RETAINER_AGENT_NAMESPACE',
  agentUid: 'RETAINER_AGENT_UID',
  podName: 'RETAINER_POD_NAME',
  /** From the downward API: with the pod's name, the holder of the agent's Lease. */
  podUid: 'RETAINER_POD_UID',
  nodeName: 'RETAINER_NODE_NAME',
  /** Seconds from SIGTERM to SIGKILL: the pod's terminationGracePeriodSeconds. */
  graceSeconds: 'RETAINER_GRACE_SECONDS',
  characterDigest: 'RETAINER_CHARACTER_DIGEST',
  skillsDigest: 'RETAINER_SKILLS_DIGEST',
  configDigest: 'RETAINER_CONFIG_DIGEST',
  sandboxNamespace: 'RETAINER_SANDBOX_NAMESPACE',
  redisUrl: 'RETAINER_REDIS_URL',
  /** Path of a file with the URL. */
  redisUrlFile: 'RETAINER_REDIS_URL_FILE',
  logLevel: 'RETAINER_LOG_LEVEL',
  anthropicApiKey: 'ANTHROPIC_API_KEY',
  embeddingApiKey: 'RETAINER_EMBEDDING_API_KEY',
  gitUsername: 'RETAINER_GIT_USERNAME',
  gitPassword: 'RETAINER_GIT_PASSWORD',
  /** Path of a directory with the files of such a Secret, instead of both. */
  gitCredentials: 'RETAINER_GIT_CREDENTIALS',
  mailUsername: 'RETAINER_MAIL_USERNAME',
  mailPassword: 'RETAINER_MAIL_PASSWORD',
  /** Path of a directory with the files `username` and `password`, instead of both. */
  mailCredentials: 'RETAINER_MAIL_CREDENTIALS',
  anthropicBaseUrl: 'ANTHROPIC_BASE_URL',
} as const;
