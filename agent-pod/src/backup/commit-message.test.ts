import { describe, expect, it } from 'vitest';
import { parseMessage, renderMessage } from './commit-message.ts';
import { endedRun, type WhatCame } from './what-came.ts';

const named = {
  agent: 'default/ada',
  individual: '3f0c7a52-1111-4e6a-9b1d-0123456789ab',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  heads: [{ store: 'cycle', seq: 12, hash: 'a'.repeat(64), epoch: 3 }],
};

const nothing: WhatCame = {
  records: new Map(),
  first: undefined,
  last: undefined,
  runs: [],
  files: { put: 0, removed: 0 },
};

const ended = (count: number, outcome = 'Accepted') =>
  Array.from({ length: count }, (_, index) => endedRun(`run-${index}-0123456789`, outcome));

const came: WhatCame = {
  ...nothing,
  records: new Map([
    ['cycle', 9],
    ['run', 12],
  ]),
  first: { order: 40, timeMs: 1 },
  last: { order: 61, timeMs: named.atMs },
  runs: [endedRun('count-rows-0123456789', 'Accepted'), endedRun('add-0123456789-2', 'Refused')],
};

describe('the message of a commit', () => {
  it('is read back as it was written', () => {
    expect(parseMessage(renderMessage(named, came))).toEqual({
      ...named,
      subject: 'runs count-rows Accepted, add Refused',
      firstOrder: 40,
      lastOrder: 61,
      runs: came.runs,
    });
  });

  it('names the last twenty runs and counts the others', () => {
    const runs = ended(25);
    const message = renderMessage(named, { ...came, runs });
    expect(message).toContain('Earlier-Runs: 5\n');
    expect(parseMessage(message)?.runs).toEqual(runs.slice(5));
  });

  const subjects: readonly (readonly [string, Partial<WhatCame>, string])[] = [
    ['one run', { ...came, runs: came.runs.slice(0, 1) }, 'run count-rows Accepted'],
    ['many runs', { runs: [...ended(2, 'Refused'), ...ended(7)] }, '9 runs: Accepted 7, Refused 2'],
    ['no run', { ...came, runs: [] }, '21 records: run 12, cycle 9'],
    ['no record', { files: { put: 3, removed: 1 } }, 'files outside the record: 3 written, 1 removed'],
  ];
  for (const [what, of, subject] of subjects)
    it(`says first what happened: ${what}`, () => {
      expect(renderMessage(named, { ...nothing, ...of }).split('\n')[0]).toBe(subject);
    });

  it('has a subject that a terminal shows whole', () => {
    const runs = [endedRun(`${'long-'.repeat(20)}-0123456789`, 'Accepted')];
    expect(renderMessage(named, { ...came, runs }).split('\n')[0]).toHaveLength(72);
  });

  it('of an earlier program is read', () => {
    const earlier =
      'Record of default/ada at noon\n\nTime: 2026-01-02T03:04:05.678Z\nCause: Interval\nRun: add-0123456789\n';
    expect(parseMessage(earlier)).toMatchObject({
      agent: 'default/ada',
      atMs: named.atMs,
      runs: [{ runId: 'add-0123456789', task: 'add' }],
    });
  });

  it.each(['Merge branch main', 'Record of default/ada at noon\n\nTime: noon\nCause: RunEnded\n', ''])(
    'of somebody else is none: %j',
    (message) => expect(parseMessage(message)).toBeUndefined(),
  );
});
