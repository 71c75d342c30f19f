import { describe, expect } from 'vitest';
import { measureAffect, type AffectSignals } from '@retainer/mind/parts/affect/measure';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { affectIn, affectTable } from './affect-records.ts';

const signals: AffectSignals = {
  ...{ toolCalls: 4, toolFailures: 1, retries: 1, gateRejections: 0, gateModifications: 2, outputRejectionsInRow: 3 },
  ...{ failuresInRow: 0, delegations: 2, delegationFailures: 0, successRate: 0.5, recallRate: 1, budgetPressure: 0.25 },
};

async function measured(count: number) {
  const journal = new MemoryJournal();
  for (const [at, cycleId] of ['r-c1', 'r-c2', undefined].entries())
    await journal.append([
      {
        ...{ store: 'affect', kind: 'AffectMeasured', principal: 'agent', runId: 'r' },
        payload: { atMs: at, signals, affect: measureAffect(signals) },
        ...(cycleId === undefined ? {} : { cycleId }),
      },
    ]);
  return affectIn(journal, count);
}

describe('how an agent was', () => {
  verifies('memory:affect-told', 'is told of the newest cycles and ends of runs', async () => {
    expect((await measured(2)).map(({ cycleId, atMs }) => [cycleId, atMs])).toEqual([
      ['r-c2', 1],
      [undefined, 2],
    ]);
    expect(await measured(9)).toHaveLength(3);
  });

  verifies('memory:affect-told', 'as a table of percents and of the signals behind them', async () => {
    const [head, row, end] = affectTable(await measured(2));
    expect(Object.fromEntries((head ?? []).map((name, at) => [name, row?.[at]]))).toEqual({
      ...{ when: '1970-01-01T00:00:00.001Z', of: 'r-c2' },
      ...{ desp: '100', calm: '65', conf: '75', frus: '48', pres: '66', trend: 'Rising' },
      ...{ 'failed calls': '1/4', retries: '1', rejected: '0', modified: '2', 'texts rejected in a row': '3' },
      ...{
        'failures in a row': '0',
        'failed delegations': '0/2',
        success: '0.50',
        recall: '1.00',
        'tokens used': '0.25',
      },
    });
    expect(end?.[1]).toBe('r');
  });
});
