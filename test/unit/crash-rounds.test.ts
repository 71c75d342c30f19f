/** A crash at every record of runs that are corrected by their validator, planned anew and given up; plain ones are in `crash-anywhere`. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { RunEventOf } from '@retainer/mind/run/event';
import { scripted } from '../support/agents.ts';
import { crashLabel, expectNoEffectTwice } from '../support/crash-labels.ts';
import { crashPoints, play, World, worldAt, type Ambiguity } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { roundScript, startRound } from '../support/round-script.ts';
import { verifies } from '../verifies.ts';

/** Whether something was asked of the world that the record does not know the end of. */
function isInFlight(records: readonly JournalRecord[]): boolean {
  const count = (kind: string): number => records.filter((it) => it.kind === kind).length;
  return count('ToolRequested') > count('ToolFinished') || count('DeliveryRequested') > count('Delivered');
}

const typesOf = (journal: MemoryJournal): readonly string[] =>
  journal.records
    .filter((it) => it.kind === 'MessageSent')
    .flatMap((it) => (it.payload as unknown as RunEventOf<'MessageSent'>).messages.map(({ type }) => type));

const corrected = { maxReplans: 0, fastLoop: { maxRetries: 1 } };
const replanned = { maxReplans: 1, fastLoop: { maxRetries: 0 } };

interface Crashed {
  readonly name: string;
  readonly intent: string;
  readonly control: object;
  readonly outcome: string;
  /** Words that only such a run says. */
  readonly types: readonly string[];
}

describe.each<Crashed>([
  {
    name: 'corrected by its validator',
    intent: 'sloppy work',
    control: corrected,
    outcome: 'Accepted',
    types: ['CorrectionSignal'],
  },
  {
    name: 'planned anew',
    intent: 'planned',
    control: replanned,
    outcome: 'Accepted',
    types: ['ReplanRequest', 'PlanDirective', 'OutcomeSummary'],
  },
  {
    name: 'given up after a new plan',
    intent: 'hopeless and planned',
    control: replanned,
    outcome: 'Abandoned',
    types: ['PlanDirective', 'AbandonReport'],
  },
])('a run that is $name', ({ intent, control, outcome, types }) => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();

  beforeAll(async () => {
    model = await scripted(roundScript);
    await play(whole, end, model, startRound(intent, control));
  });

  it('ends as it is meant to, by the words that it is about', () => {
    expect(end.deliveries.map((it) => it.body.outcome)).toEqual([outcome]);
    expect(typesOf(whole)).toEqual(expect.arrayContaining([...types]));
  });

  it('tells each plan what the run taught memory before', () => {
    const kinds = whole.records.map(({ kind }) => kind);
    const recalls = kinds.flatMap((kind, at) => (kind === 'MemoryRecalled' ? [at] : []));
    for (const at of recalls.slice(1)) {
      const written = kinds.slice(0, at).filter((kind) => kind === 'Remembered').length;
      expect(written).toBeGreaterThanOrEqual(1);
    }
  });

  // A report whose one call a crash lost is left out.
  const told = ({ deliveries }: World): unknown =>
    deliveries.map(({ deliveryId, body }) => [deliveryId, body.outcome, body.summary.split('\n\n')[0], body['unmet']]);

  for (const ambiguity of ['NotDone', 'DoneAndKnown', 'DoneAndUnknown'] satisfies readonly Ambiguity[])
    verifies('run:crash-anywhere', `from every prefix, the effect in flight ${ambiguity}: the same, once`, async () => {
      for (const length of crashPoints(whole.records)) {
        const prefix = whole.records.slice(0, length);
        if (ambiguity !== 'NotDone' && !isInFlight(prefix)) continue;
        const journal = new MemoryJournal(prefix);
        const world = worldAt(prefix, end, ambiguity);
        await play(journal, world, model, startRound(intent, control));
        const label = crashLabel(prefix);
        expect(told(world), label).toEqual(told(end));
        expectNoEffectTwice(world, label);
        const finals = typesOf(journal).filter((it) => it === 'FinalResult');
        expect(finals, label).toHaveLength(1);
        expect(
          journal.records.filter((it) => it.kind === 'RunRemembered'),
          label,
        ).toHaveLength(1);
      }
    });
});
