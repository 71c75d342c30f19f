/** Condition types and reasons of all kinds. Most conditions are positive: True is good. */
import { z } from 'zod';
import { mapList } from './cel-rule.ts';
import { Instant, PascalCase } from './fields.ts';

/** A message names the next action and contains no user text. */
export const CONDITION_MESSAGE_LENGTH_MAX = 1024;
/** More than any kind declares, so that a newer operator can add others. */
const CONDITIONS_MAX = 16;

/** What agents say of their mail servers. Another word, of a newer agent, counts as `MailDown`. */
const MAIL_REASONS = [
  'MailReady',
  'MailUntold',
  'MailDown',
  'CredentialsMissing',
  'LoginRefused',
  'CertificateExpired',
  'CertificateNotYetValid',
  'CertificateUntrusted',
  'NameMismatch',
  'NoTls',
  'UnknownHost',
  'NoConnection',
  'ProxyRefused',
  'ProxyUnreachable',
  'MailboxMissing',
  'MailboxFull',
  'TooManyConnections',
  'ServerUnavailable',
  'ConnectionLost',
  'NoAnswer',
  'UnexpectedAnswer',
  'AnswerTooLarge',
  'SenderRefused',
] as const;

/** By kind. Every kind has `Ready`, which printer columns show, and what `progress.ts` derives from it. */
export const CONDITION_TYPES = {
  Agent: [
    'Ready',
    'Reconciling',
    'Stalled',
    'CharacterResolved',
    'SkillsResolved',
    'StorageReady',
    'PodReady',
    'NetworkPolicyEnforced',
    'RecordIntact',
    'BackupCurrent',
    'MailReady',
    'Suspended',
    'SafeMode',
    'FieldsInEffect',
  ],
  Task: [
    'Ready',
    'Reconciling',
    'Stalled',
    'Admitted',
    'Running',
    'AwaitingAnswer',
    'AwaitingApproval',
    'AwaitingModel',
    'CharacterChanged',
    'Complete',
    'Failed',
  ],
  Skill: ['Ready', 'Reconciling', 'Stalled', 'ContentResolved', 'DependenciesResolved', 'FieldsInEffect'],
  CharacterSpec: ['Ready', 'Reconciling', 'Stalled', 'Compiled', 'FieldsInEffect'],
  SandboxRun: ['Ready', 'Reconciling', 'Stalled', 'Scheduled', 'Complete', 'Failed'],
} as const;

/** Reasons by kind. Stable: dashboards and scripts match on them. */
export const CONDITION_REASONS = {
  Agent: [
    'AgentReady',
    'Starting',
    'CharacterNotFound',
    'CharacterInvalid',
    'CharacterDigestMismatch',
    'ScriptInvalid',
    'SkillNotFound',
    'SkillInvalid',
    'SecretNotFound',
    'SecretKeyNotFound',
    'StoragePending',
    'StorageFull',
    'JournalDegraded',
    'JournalCorrupt',
    'RecordIntact',
    'RecordChanged',
    'AnotherIndividual',
    'PodNotScheduled',
    'PodCrashing',
    'ImagePullFailed',
    'NetworkPolicyNotEnforced',
    'UserNamespacesUnavailable',
    'RuntimeClassNotFound',
    'BackupCurrent',
    'NoBackupYet',
    'BackupStale',
    'RemoteDiverged',
    'Suspended',
    'SafeMode',
    'Resolved',
    'ReconcileFailed',
    'SpecInvalid',
    'NameTaken',
    'StorageShrinkRefused',
    'StorageGrowthRefused',
    'PodNotReady',
    'LeaseLost',
    'AccountChanged',
    'NotTended',
    'Draining',
    'ConfigMapNotFound',
    'EgressNotPossible',
    'NetworkPolicyEnforced',
    'NetworkPolicyUnknown',
    'NotSuspended',
    'AllInEffect',
    'NoEffectYet',
    'ScheduleInvalid',
    ...MAIL_REASONS,
  ],
  Task: [
    'Admitted',
    'AgentNotFound',
    'AgentNotReady',
    'AgentSuspended',
    'DependencyPending',
    'DependencyFailed',
    'DependencyCycle',
    'BudgetExhausted',
    'DeadlinePassed',
    'Queued',
    'Running',
    'SetAside',
    'Held',
    'CharacterChanged',
    'QuestionAsked',
    'ApprovalRequested',
    'ApprovalTimedOut',
    'ModelOutOfReach',
    'Scheduled',
    'ScheduleInvalid',
    'Accepted',
    'Succeeded',
    'RequiredUnmet',
    'Abandoned',
    'Refused',
    'Cancelled',
    'InfrastructureFailed',
    'SpecInvalid',
  ],
  Skill: [
    'SkillReady',
    'ConfigMapNotFound',
    'ConfigMapKeyNotFound',
    'DigestMismatch',
    'BodyInvalid',
    'DependencyNotFound',
    'DependencyDeprecated',
    'DependencyCycle',
    'DependencyTooOld',
    'Deprecated',
    'Resolved',
    'SpecInvalid',
    'AllInEffect',
    'NoEffectYet',
  ],
  CharacterSpec: [
    'CharacterReady',
    'PatternInvalid',
    'LevelInvalid',
    'SpecInvalid',
    'Compiled',
    'RenderFailed',
    'AllInEffect',
    'NoEffectYet',
  ],
  SandboxRun: [
    'Serving',
    'Scheduled',
    'Scheduling',
    'Running',
    'Exited',
    'TimedOut',
    'OutOfMemory',
    'OutputLimitReached',
    'Killed',
    'Evicted',
    'ImagePullFailed',
    'QuotaExceeded',
    'Unschedulable',
    'NotAllowed',
    'NetworkPolicyNotEnforced',
    'NetworkOpened',
    'UserNamespacesUnavailable',
    'RuntimeClassNotFound',
    'AgentNotFound',
    'AgentSuspended',
    'Cancelled',
    'InfrastructureFailed',
    'SpecInvalid',
  ],
} as const;

export type ConditionType<Kind extends keyof typeof CONDITION_TYPES> = (typeof CONDITION_TYPES)[Kind][number];
export type ConditionReason<Kind extends keyof typeof CONDITION_REASONS> = (typeof CONDITION_REASONS)[Kind][number];

/** Source: kstatus, generic rules: an object whose spec is newer than this is in progress. */
export const ObservedGeneration = z
  .int()
  .min(-1)
  .describe('Generation of the spec that this status describes; -1 before the operator has looked at the object.');

/** One condition. Source: Kubernetes API conventions, metav1.Condition. */
export const Condition = z
  .object({
    type: PascalCase.describe('Type of the condition.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
    observedGeneration: z
      .int()
      .min(0)
      .optional()
      .describe('Generation of the spec that was judged; below metadata.generation, the condition is stale.'),
    lastTransitionTime: Instant.describe('Time of the last change of status.'),
    reason: PascalCase.describe('Reason of the status, stable for programs.'),
    message: z.string().max(CONDITION_MESSAGE_LENGTH_MAX).describe('Text for people, with the next action.'),
  })
  .describe('A condition of the object.');
export type Condition = z.infer<typeof Condition>;

export const Conditions = mapList(
  z.array(Condition).max(CONDITIONS_MAX).describe('Conditions of the object, one of each type.'),
  'type',
);
