/** Which fault of a server, at whose call and for how long, leads to which end: outcome, requests and words. */
import { parkingModel } from '@retainer/agent-pod/infer/parking-model';
import { retryingModel } from '@retainer/agent-pod/infer/retrying-model';
import { parseScript } from '@retainer/agent-pod/infer/script';
import { scriptedModel } from '@retainer/agent-pod/infer/scripted-model';
import type { AttemptFailure, ModelAttempter } from '@retainer/agent-pod/infer/model-attempt';
import { err } from '@retainer/contract/std/result';
import { describe, expect } from 'vitest';
import { play, World } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { citingRule, oneChangeRun, oneStepRule } from '../support/runs.ts';
import { rushingClock } from '../support/rushing-clock.ts';
import { verifies } from '../verifies.ts';

const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: work
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: change, input: 1}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const roles = ['perceiver', 'executor'] as const;

interface Fault {
  readonly name: string;
  readonly failure: AttemptFailure;
  /** A part of the answer came first. */
  readonly begins?: true;
  /** Requests for a call whose first so many tries fail so: with retries after 1, beyond them after 6. */
  readonly requests: readonly [after1: number, after6: number];
  readonly outcome: 'Succeeded' | 'Failed';
  /** Why the call was parked, where it fails six times. */
  readonly parked?: string;
}

const fault = (name: string, kind: AttemptFailure['kind'], more: Partial<AttemptFailure> = {}): AttemptFailure => ({
  kind,
  message: name,
  ...more,
});

const faults: readonly Fault[] = [
  { name: '429', failure: fault('429', 'RateLimited'), requests: [2, 7], outcome: 'Succeeded', parked: 'RateLimited' },
  {
    name: '429 with an hour to wait',
    failure: fault('429', 'RateLimited', { retryAfterMs: 3_600_000 }),
    requests: [2, 7],
    outcome: 'Succeeded',
    parked: 'RateLimited',
  },
  { name: '529', failure: fault('529', 'Overloaded'), requests: [2, 7], outcome: 'Succeeded', parked: 'Overloaded' },
  { name: '503', failure: fault('503', 'Network'), requests: [2, 7], outcome: 'Succeeded', parked: 'Network' },
  {
    name: 'a cut in mid-answer',
    failure: fault('cut', 'Network'),
    begins: true,
    requests: [2, 7],
    outcome: 'Succeeded',
    parked: 'Network',
  },
  { name: 'silence', failure: fault('silent', 'Timeout'), requests: [2, 7], outcome: 'Succeeded', parked: 'Timeout' },
  { name: 'no answer of the API', failure: fault('a page', 'MalformedAnswer'), requests: [2, 2], outcome: 'Failed' },
  { name: 'a refused key', failure: fault('no key', 'Authentication'), requests: [1, 1], outcome: 'Failed' },
  { name: 'a wrong address', failure: fault('no such path', 'Misconfigured'), requests: [1, 1], outcome: 'Failed' },
];

/** The first so many tries of the first call of the role fail. */
async function played(role: string, { failure, begins }: Fault, times: number) {
  const parsed = parseScript(script);
  if (!parsed.ok) throw new Error('the script is sound');
  const clock = rushingClock();
  const inner = scriptedModel(parsed.value, () => clock.monotonicMs());
  let [first, requests] = ['', 0];
  const adapter: ModelAttempter = {
    name: 'scripted',
    attempt: async (request, context) => {
      if (request.role !== role) return inner.attempt(request, context);
      first ||= context.callId;
      if (context.callId !== first) return inner.attempt(request, context);
      requests += 1;
      if (requests > times) return inner.attempt(request, context);
      if (begins === true) context.progress();
      return err(failure);
    },
  };
  const surroundings = { clock, random: () => 0 };
  const model = parkingModel(retryingModel(adapter, surroundings), surroundings);
  const [journal, world] = [new MemoryJournal(), new World()];
  const command = { type: 'StartRun', spec: oneChangeRun('r') } as const;
  await play(journal, world, model, [{ originId: 'task:r', command }]);
  const parked = journal.records
    .filter(({ kind }) => kind === 'Parked')
    .map(({ payload }) => payload as { why: string });
  return { outcome: world.deliveries[0]?.body.outcome, requests, parked };
}

describe('a fault of a server', () => {
  for (const role of roles)
    for (const it of faults) {
      const [after1, after6] = it.requests;
      const once = it.outcome === 'Failed' && after1 === 1 ? 'Failed' : 'Succeeded';
      verifies('loop:outages-lose-nothing', `${it.name}, at the ${role}'s call, once: ${once}`, async () => {
        const { outcome, requests, parked } = await played(role, it, 1);
        expect([outcome, requests]).toEqual([once, after1]);
        // Only a wait that is longer than any retry's parks so soon.
        expect(parked.length > 0).toBe((it.failure.retryAfterMs ?? 0) > 60_000);
      });
      verifies('loop:outages-lose-nothing', `${it.name}, at the ${role}'s call, six times: ${it.outcome}`, async () => {
        const { outcome, requests, parked } = await played(role, it, 6);
        expect([outcome, requests]).toEqual([it.outcome, after6]);
        expect([...new Set(parked.map(({ why }) => why))]).toEqual(it.parked === undefined ? [] : [it.parked]);
      });
    }
});
