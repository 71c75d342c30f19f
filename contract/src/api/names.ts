/** Every name that the operator, the agent, the command line and a cluster must agree on. */

/** API group of all kinds. */
export const GROUP = 'retainer.dev';
/** Version served and stored. */
export const VERSION = 'v1alpha1';
/** What a manifest says in `apiVersion`. */
export const API_VERSION = `${GROUP}/${VERSION}`;
/** `kubectl get retainer` lists all kinds. */
export const CATEGORY = 'retainer';

/** The five kinds, in the order in which a reader meets them. */
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
  /** A later run of the same name is another one. */
  sandboxRunUid: `${GROUP}/sandbox-run-uid`,
  sandboxPool: `${GROUP}/sandbox-pool`,
  /** On the Job, pod and policy of a canary. */
  canary: `${GROUP}/canary`,
  networkRole: `${GROUP}/network-role`,
} as const;

/** Annotation keys. */
export const ANNOTATIONS = {
  /** On the pod: digest of the CharacterSpec it must run under. */
  characterDigest: `${GROUP}/character-digest`,
  /** On the pod: digest of all mounted skills. */
  skillsDigest: `${GROUP}/skills-digest`,
  /** On the pod: digest of the mounted configuration; a change rolls the pod. */
  configDigest: `${GROUP}/config-digest`,
  /** On a Task: channel and id of the message it was made from; duplicates are dropped by it. */
  originId: `${GROUP}/origin-id`,
  /** On a SandboxRun: the tool call it serves. */
  toolCallId: `${GROUP}/tool-call-id`,
  /** On a Task that a schedule made: the moment it is for. */
  scheduledFor: `${GROUP}/scheduled-for`,
  /** On a Task that a schedule made: which run of the schedule it is, from 1. */
  scheduleRun: `${GROUP}/schedule-run`,
  /** On the ConfigMap of a mounted skill: digest of the skill's text. */
  textDigest: `${GROUP}/text-digest`,
  /** On an agent's StatefulSet: digest of the pod template; another one restarts the agent. */
  templateDigest: `${GROUP}/template-digest`,
  /** On a canary: digest of what its proof depends on. */
  canaryWorld: `${GROUP}/canary-world`,
  /** On a canary: how many flows it was told to try. */
  canaryTargets: `${GROUP}/canary-targets`,
  /** On a pool of sandboxes: digest of what its pods have in common. */
  poolTemplate: `${GROUP}/pool-template`,
  /** On a pool of sandboxes: which one of that template it is, from 0. */
  poolGeneration: `${GROUP}/pool-generation`,
  /** On any object: a moment; a new value asks for one more reconciliation. */
  reconcileRequestedAt: `${GROUP}/reconcile-requested-at`,
  /** On what the operator makes: digest of the fields that it applied. */
  appliedHash: `${GROUP}/applied-hash`,
  /** On an Agent: a moment; a new value restarts its pod. */
  restartRequestedAt: `${GROUP}/restart-requested-at`,
} as const;

/** One server-side apply owner per writer, so that none takes a field from another. */
export const FIELD_MANAGERS = {
  operatorChildren: 'retainer-operator-children',
  operatorStatus: 'retainer-operator-status',
  operatorDeadline: 'retainer-operator-deadline',
  agentTaskStatus: 'retainer-agent-task-status',
  agentSandbox: 'retainer-agent-sandbox',
  cli: 'retainer-cli',
} as const;

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

/** Where things are mounted in the agent pod. */
export const MOUNTS = {
  data: '/data',
  boot: '/etc/retainer/boot',
  skills: '/etc/retainer/skills',
  config: '/etc/retainer/config',
  secrets: '/etc/retainer/secrets',
  /** The one Secret that the auditor reads as well. */
  bus: '/etc/retainer/bus',
  workspaceSeeds: '/etc/retainer/workspace',
  auditorData: '/audit',
} as const;

/** Environment variables that programs read, each in its own `config.ts` only. */
export const ENV = {
  dataDir: 'RETAINER_DATA_DIR',
  agentName: 'RETAINER_AGENT_NAME',
  agentNamespace: 'RETAINER_AGENT_NAMESPACE',
  agentUid: 'RETAINER_AGENT_UID',
  podName: 'RETAINER_POD_NAME',
  /** By the downward API: with the name it is the holder of the agent's Lease. */
  podUid: 'RETAINER_POD_UID',
  /** Seconds from SIGTERM to SIGKILL: the pod's terminationGracePeriodSeconds. */
  graceSeconds: 'RETAINER_GRACE_SECONDS',
  characterDigest: 'RETAINER_CHARACTER_DIGEST',
  skillsDigest: 'RETAINER_SKILLS_DIGEST',
  configDigest: 'RETAINER_CONFIG_DIGEST',
  sandboxNamespace: 'RETAINER_SANDBOX_NAMESPACE',
  redisUrl: 'RETAINER_REDIS_URL',
  /** Path of a file that holds the URL. */
  redisUrlFile: 'RETAINER_REDIS_URL_FILE',
  logLevel: 'RETAINER_LOG_LEVEL',
  anthropicApiKey: 'ANTHROPIC_API_KEY',
  anthropicBaseUrl: 'ANTHROPIC_BASE_URL',
} as const;
