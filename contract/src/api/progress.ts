/**
 * How an object stands for tools that know no kind of ours: current, in progress, or stalled until a person acts. Pure.
 *
 * I1  It follows from kind and from what is written together with Ready, so it never costs a write of its own.
 *
 * I2  The operator takes one away that is no longer true. An agent that ends its Task cannot take it away, and makes it False, which
 *     means the same to kstatus.
 *
 * Source: kstatus, generic rules: `Reconciling` and `Stalled` are there only while they are true.
 */
import type { ConditionReason } from './conditions.ts';
import type { KindName } from './names.ts';

export type Progress = 'Current' | 'Reconciling' | 'Stalled';

/**
 * Reasons that neither time ends nor another object that may still be on its way, as in the middle of an apply of many: a
 * person must act, or the object has ended without its result.
 */
const STALLED: { readonly [Kind in KindName]: readonly ConditionReason<Kind>[] } = {
  Agent: [
    'SpecInvalid',
    'NameTaken',
    'CharacterInvalid',
    'CharacterDigestMismatch',
    'ScriptInvalid',
    'SkillInvalid',
    'SecretKeyNotFound',
    'EgressNotPossible',
    'StorageShrinkRefused',
    'StorageGrowthRefused',
    'StorageFull',
    'JournalDegraded',
    'JournalCorrupt',
    'PodCrashing',
    'ImagePullFailed',
    'UserNamespacesUnavailable',
    'RuntimeClassNotFound',
    'SafeMode',
  ],
  Task: [
    'SpecInvalid',
    'ScheduleInvalid',
    'DependencyCycle',
    'DependencyFailed',
    'BudgetExhausted',
    'DeadlinePassed',
    'ApprovalTimedOut',
    'SetAside',
    'Abandoned',
    'Refused',
    'Cancelled',
    'InfrastructureFailed',
  ],
  Skill: ['SpecInvalid', 'BodyInvalid', 'DigestMismatch', 'DependencyCycle'],
  CharacterSpec: ['SpecInvalid', 'PatternInvalid', 'LevelInvalid', 'RenderFailed'],
  // Its end is told by Failed: most of its reasons pass before they end it.
  SandboxRun: [],
};

/** Ready to be used, but not done. */
const UNDER_WAY: Readonly<Partial<Record<KindName, readonly string[]>>> = { SandboxRun: ['Running'] };

export interface ToldCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
}

/** @param conditions  those of whoever writes Ready; undefined if Ready is not among them */
export function progressOf(kind: KindName, conditions: readonly ToldCondition[]): Progress | undefined {
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined) return undefined;
  if (ready.status === 'True') return UNDER_WAY[kind]?.includes(ready.reason) === true ? 'Reconciling' : 'Current';
  const isFailed = conditions.some(({ type, status }) => type === 'Failed' && status === 'True');
  return isFailed || isStalled(kind, ready.reason) ? 'Stalled' : 'Reconciling';
}

export function isStalled(kind: KindName, reason: string): boolean {
  const reasons: readonly string[] = STALLED[kind];
  return reasons.includes(reason);
}
