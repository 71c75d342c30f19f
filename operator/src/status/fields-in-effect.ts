/** FieldsInEffect: whether every field that an object sets has an effect. Pure. */
import { CONDITION_MESSAGE_LENGTH_MAX } from '@retainer/contract/api/conditions';
import { unplayedWorkers } from '@retainer/contract/api/unplayed-workers';
import { effectCheck, type CheckedObject } from '@retainer/contract/manifest/fields-without-effect';
import { jobFaults, type FaultyField } from '@retainer/contract/schedule/schedule-fault';
import type { BootAgent } from '@retainer/contract/wire/boot';

export interface FieldsCondition {
  readonly type: 'FieldsInEffect';
  readonly status: 'True' | 'False';
  readonly reason: 'AllInEffect' | 'NoEffectYet';
  readonly message: string;
}

interface AgentFieldsCondition extends Omit<FieldsCondition, 'reason'> {
  readonly reason: FieldsCondition['reason'] | 'ScheduleInvalid';
}

/** Fields that a message names; this number always fits. */
const NAMED_MAX = 8;
/** Faulty jobs that a message names: each takes a sentence. */
const FAULTS_MAX = 3;

const checks = {
  Agent: effectCheck('Agent'),
  CharacterSpec: effectCheck('CharacterSpec'),
  Skill: effectCheck('Skill'),
} as const;

/** @param object  parsed, with its defaults */
export function fieldsInEffect(kind: 'CharacterSpec' | 'Skill', object: CheckedObject): FieldsCondition {
  return fieldsCondition(checks[kind](object));
}

/**
 * The Agent's condition names also what its CharacterSpec sets for workers that this Agent does not have: another Agent of the
 * same character may have them.
 *
 * @param character  undefined if there is none, or none that is valid
 */
export function agentFieldsInEffect(agent: BootAgent, character: CheckedObject | undefined): AgentFieldsCondition {
  const unplayed = unplayedWorkers(agent.spec);
  const inVain = (workers: readonly string[]) =>
    character === undefined ? [] : checks.CharacterSpec(character, workers);
  const forNobody = new Set(inVain([]));
  const forThisAgent = inVain(unplayed).filter((path) => !forNobody.has(path));
  const told = fieldsCondition([
    ...checks.Agent(agent, unplayed),
    ...forThisAgent.map((path) => `${path} of its CharacterSpec`),
  ]);
  return withFaultyJobs(told, faultsOf(agent.spec.scheduler));
}

/** By version of an Agent: each pass sees the same object, and a hundred cron texts take milliseconds to read. */
const known = new WeakMap<Scheduler, readonly FaultyField[]>();

type Scheduler = BootAgent['spec']['scheduler'];

function faultsOf(scheduler: Scheduler): readonly FaultyField[] {
  const faults = known.get(scheduler) ?? jobFaults(scheduler);
  known.set(scheduler, faults);
  return faults;
}

/** A job that never fires comes before fields that wait for a later version. */
function withFaultyJobs(told: FieldsCondition, faults: readonly FaultyField[]): AgentFieldsCondition {
  if (faults.length === 0) return told;
  const named = faults.slice(0, FAULTS_MAX).map((fault) => `${faultPath(fault)} must be ${fault.allowed}`);
  const more = faults.length > FAULTS_MAX ? `; and ${faults.length - FAULTS_MAX} more` : '';
  const rest = told.status === 'True' ? '' : `; ${told.message}`;
  const message = `jobs that never fire, while the others do: ${named.join('; ')}${more}${rest}`;
  return { type: 'FieldsInEffect', status: 'False', reason: 'ScheduleInvalid', message: shortened(message) };
}

/** As people find it in their manifest: `spec.scheduler.jobs[NAME].cron`. */
function faultPath({ path, job }: FaultyField): string {
  return job === undefined ? `spec.${path.join('.')}` : `spec.scheduler.jobs[${job}].${path.at(-1) ?? ''}`;
}

function shortened(message: string): string {
  return message.length <= CONDITION_MESSAGE_LENGTH_MAX
    ? message
    : `${message.slice(0, CONDITION_MESSAGE_LENGTH_MAX - 1)}…`;
}

function fieldsCondition(fields: readonly string[]): FieldsCondition {
  const type = 'FieldsInEffect';
  if (fields.length === 0)
    return { type, status: 'True', reason: 'AllInEffect', message: 'every field that is set has an effect' };
  const more = fields.length > NAMED_MAX ? ` and ${fields.length - NAMED_MAX} more` : '';
  const named = fields.slice(0, NAMED_MAX).join(', ');
  const message = `fields without an effect yet: ${named}${more}; docs/not-yet.md says what happens instead`;
  return { type, status: 'False', reason: 'NoEffectYet', message };
}
