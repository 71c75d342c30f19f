/**
 * Decides an attempt before a validator is asked: a table read from the top; the first line that fits decides.
 *
 * Source: artoo A.6 (special rules 1 to 3; they are code, and so is "no evidence at all").
 * Differs: the refusal is looked for first: an attempt that a gate refused mostly failed as well, and it is the class of
 * the refusal that keeps the run from looking for a way around it.
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { failedInAllActs } from './acts.ts';
import { classOf, lastingRefusal, type FailureClass } from './failure-class.ts';

export type ExecutionResult = BusPayload<'ExecutionResult'>;

export type PreGate =
  /** The subtask ends here; its criteria are not judged. */
  | { readonly kind: 'Fails'; readonly reason: string; readonly failureClass: FailureClass }
  /** No criterion asks for proof. */
  | { readonly kind: 'Matches' }
  /** No criterion can be met; the attempt may be corrected. */
  | { readonly kind: 'ProvesNothing' }
  /** The attempt counts for nothing, whatever is said of it; it may be corrected. */
  | { readonly kind: 'Falls'; readonly reason: string; readonly failureClass: FailureClass }
  | { readonly kind: 'AsksValidator' };

interface Line {
  readonly name: string;
  readonly gate: (result: ExecutionResult, criteria: readonly BusCriterion[], known: KnownTools) => PreGate | undefined;
}

/** Words by which the runtime reports its own failure. Source: artoo A.6 (rule 2). */
const infrastructure =
  /context cancel|deadline exceeded|network|time(d[ -]?)?out|connection (refused|reset)|unavailable/i;

/** The worker repeated itself until this ended its work: of all limits that cut work off, only this one is its own mistake. */
export function isCircle({ status, failureClass }: ExecutionResult): boolean {
  return status === 'Uncertain' && failureClass === 'Logical';
}

function cutOff({ reason = 'a limit was reached', failureClass = 'Environmental' }: ExecutionResult): PreGate {
  return { kind: 'Falls', reason: `the work was cut off: ${reason}`, failureClass };
}

const lines: readonly Line[] = [
  {
    name: 'refused by a gate or a person',
    gate: ({ calls }) => {
      const refusal = lastingRefusal(calls);
      return refusal && { kind: 'Fails', reason: `${refusal.reason} (rule ${refusal.rule})`, failureClass: 'Policy' };
    },
  },
  {
    name: 'infrastructure failed',
    gate: ({ status, reason = '', failureClass }) => {
      const isIt = failureClass === 'Infrastructure' || (failureClass === undefined && infrastructure.test(reason));
      return status !== 'Completed' && isIt ? { kind: 'Fails', reason, failureClass: 'Infrastructure' } : undefined;
    },
  },
  {
    name: 'executor failed',
    gate: ({ status, reason = 'the executor failed', failureClass = 'Logical' }) =>
      status === 'Failed' ? { kind: 'Fails', reason, failureClass } : undefined,
  },
  {
    name: 'nothing to prove',
    gate: ({ status }, criteria) => (criteria.length === 0 && status === 'Completed' ? { kind: 'Matches' } : undefined),
  },
  {
    name: 'went round',
    gate: (result) => (isCircle(result) ? cutOff(result) : undefined),
  },
  {
    name: 'nothing that proves',
    gate: ({ calls }) => (calls.every((it) => it.status !== 'Ok') ? { kind: 'ProvesNothing' } : undefined),
  },
  {
    name: 'cut off',
    gate: (result) => (result.status === 'Uncertain' ? cutOff(result) : undefined),
  },
  {
    name: 'failed in all it was to do',
    gate: ({ calls }, _, known) => {
      if (!failedInAllActs(calls, known)) return undefined;
      const reason =
        'the calls that were to do something did not succeed, and a look at what is there does not show that it was done';
      return { kind: 'Falls', reason, failureClass: classOf(undefined, '', calls, known) };
    },
  },
];

/** Asks no model; the result says whether one must be asked. */
export function preGate(result: ExecutionResult, criteria: readonly BusCriterion[], known: KnownTools): PreGate {
  for (const line of lines) {
    const decided = line.gate(result, criteria, known);
    if (decided !== undefined) return decided;
  }
  return criteria.length === 0 ? { kind: 'ProvesNothing' } : { kind: 'AsksValidator' };
}
