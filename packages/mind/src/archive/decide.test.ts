import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { DECIDERS } from '../cycle/deciders.ts';
import type { Label } from '../gate/provenance/label.ts';
import type { Reflection } from '../request/answers/reflection.ts';
import type { CaseWritten } from '../parts/cases/cases.ts';
import type { Account } from './account.ts';
import { decideArchive } from './decide.ts';
import type { ArchiveEvent, ArchiveEventOf, ArchiveInput, ArchivistModel } from './event.ts';
import { evolveArchive } from './evolve.ts';
import type { ArchiveState } from './state.ts';

const trusted: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };
const stranger: Label = { source: { kind: 'Web' }, trust: 'Untrusted', readers: ['owner'] };

const account = (own: Partial<Account> = {}): Account => ({
  runId: 'r',
  intent: 'Sum the sales in data/sales.csv.',
  outcome: 'Accepted',
  criteria: [],
  calls: [{ tool: 'run_code', target: 'data/sales.csv', hasFailed: false }],
  moreCalls: 0,
  steps: [],
  reply: 'The sum is 7.',
  rejections: 0,
  tokens: 100,
  durationMs: 1000,
  ran: ['run_code'],
  known: ['run_code', 'fetch_url', 'bash'],
  places: ['data/sales.csv'],
  label: trusted,
  ...own,
});

const byCode: CaseWritten = {
  caseId: 'r-case',
  category: 'Strategy',
  problem: { input: 'Sum.', intent: 'sum', domain: '', entities: [], keywords: ['sum'], complexity: 'Simple' },
  solution: { approach: 'Sum it.', agents: ['Executor'], tools: ['run_code'], steps: ['run_code data/sales.csv'] },
  outcome: { status: 'Success', confidence: 1, assessment: 'Accepted: 1 of 1 criteria met', pitfalls: [] },
  label: trusted,
};

const model: ArchivistModel = { tier: 'Fast', model: 'm', structuredRetries: 1 };

interface Given {
  readonly account?: Partial<Account>;
  readonly model?: ArchivistModel | undefined;
  readonly made?: CaseWritten | undefined;
  readonly caseBy?: 'Archivist' | 'Appraiser';
}

function opened({ account: own = {}, made = byCode, caseBy = 'Archivist', ...given }: Given): ArchiveInput {
  const told = account(own);
  const about = { intent: 'sum', domain: 'finance', keywords: ['sales'], entities: [], topics: [] };
  return {
    kind: 'ArchiveOpened',
    atMs: 1,
    account: told,
    fallback: {
      reflected: { prose: 'By code.', status: 'Fallback', label: told.label, by: 'Code', ...about },
      labels: { domain: 'finance', locations: ['data/sales.csv'], keywords: ['sales'] },
      case: { ...made, label: told.label },
      caseBy,
    },
    endedAtMs: 1,
    nonce: 'a1',
    deciders: DECIDERS,
    ...('model' in given ? (given.model === undefined ? {} : { model: given.model }) : { model }),
  };
}

/** The whole record of an archiving whose calls are answered in this order. */
function archived(
  given: Given,
  answers: readonly Partial<ArchiveEventOf<'ArchiveAnswered'>>[],
): readonly ArchiveEvent[] {
  const events: ArchiveEvent[] = [];
  let state: ArchiveState | undefined;
  const feed = (input: ArchiveInput): void => {
    for (const event of decideArchive(state, input)) {
      state = evolveArchive(state, event);
      events.push(event);
    }
  };
  feed(opened(given));
  feed({ kind: 'ArchiveBegun', atMs: 2 });
  for (const answer of answers)
    feed({ kind: 'ArchiveAnswered', atMs: 3, callId: state?.pending?.callId ?? '', latencyMs: 1, ...answer });
  return events;
}

function end(events: readonly ArchiveEvent[]): ArchiveEventOf<'ArchiveConcluded'> | undefined {
  return events.find((it): it is ArchiveEventOf<'ArchiveConcluded'> => it.kind === 'ArchiveConcluded');
}

const asked = (events: readonly ArchiveEvent[]): readonly string[] =>
  events.flatMap((it) => (it.kind === 'ArchiveAsked' ? [`${it.callId} ${it.step}`] : []));

const reflection = (own: Partial<Reflection> = {}): Reflection => ({
  prose: 'The sum is 7.',
  intent: 'Sum the sales.',
  domain: 'Sales',
  keywords: ['total'],
  entities: ['data/sales.csv'],
  topics: ['revenue'],
  calls: [{ tool: 'run_code', target: 'data/sales.csv' }],
  ...own,
});

const thought = { text: 'I thought.' };
const value = (own: Partial<Reflection> = {}) => ({
  text: '<reflection/>',
  value: reflection(own) as never,
  model: 'm-1',
});

describe('an archiving', () => {
  verifies('memory:archived-once', 'reflects, then asks for the form in the same conversation', () => {
    const events = archived({}, [thought, value()]);
    expect(asked(events)).toEqual(['r-archive-m1 Reflect', 'r-archive-m2 Curate']);
    const [first, second] = events.flatMap((it) => (it.kind === 'ArchiveAsked' ? [it.request] : []));
    expect(first).toMatchObject({ role: 'archivist', model: 'm', tools: [], maxOutputTokens: 1024 });
    expect(second?.system).toEqual(first?.system);
    expect(second?.messages.slice(0, 1)).toEqual(first?.messages);
    expect(second?.messages[1]).toEqual({ role: 'Assistant', content: [{ type: 'Text', text: 'I thought.' }] });
    const { reflected, labels } = end(events) ?? {};
    expect(reflected).toMatchObject({ status: 'Full', prose: 'The sum is 7.', by: 'm-1', domain: 'sales' });
    expect(labels).toEqual({ domain: 'finance', locations: ['data/sales.csv'], keywords: ['total', 'sales'] });
    expect(reflected).not.toHaveProperty('reason');
  });

  const falls: readonly (readonly [
    string,
    Given,
    readonly Partial<ArchiveEventOf<'ArchiveAnswered'>>[],
    RegExp,
    number,
  ])[] = [
    ['its model fails at once', {}, [{ reason: 'Timeout: nothing came' }], /Timeout/, 1],
    ['its model fails in the second step', {}, [thought, { reason: 'Overloaded: full' }], /Overloaded/, 2],
    ['a budget forbids the call', {}, [{ reason: 'budgets.tokensPerDay is used up' }], /tokensPerDay/, 1],
    [
      'the answer never has the form',
      {},
      [thought, { text: 'No.', faults: '- no XML' }, { text: 'No!', faults: '- no XML' }],
      /had not the form that was asked for, 2 times/,
      3,
    ],
    ['the form holds something else', {}, [thought, { text: '<x/>', value: { other: 1 } }], /had not the form/, 2],
    ['there is no model', { model: undefined }, [], /no model/, 0],
    [
      'the run was refused',
      { account: { outcome: 'Refused' } },
      [],
      /nothing is told of a run that ended as Refused/,
      0,
    ],
    [
      'three processes died in the call',
      {},
      [{ isLost: true }, { isLost: true }, { isLost: true }],
      /the answer was lost/,
      3,
    ],
  ];
  for (const [name, given, answers, reason, calls] of falls)
    verifies('memory:archive-falls-back', `comes to what code has where ${name}`, () => {
      const events = archived(given, answers);
      const { reflected, case: made } = end(events) ?? {};
      expect(reflected).toMatchObject({ status: 'Fallback', by: 'Code', prose: 'By code.' });
      expect(reflected?.reason).toMatch(reason);
      expect(made).toMatchObject({ caseId: 'r-case', solution: { approach: 'Sum it.' } });
      expect(asked(events)).toHaveLength(calls);
    });

  verifies('memory:archive-falls-back', 'asks once more where an answer was lost or had not the form', () => {
    const events = archived({}, [{ isLost: true }, thought, { text: 'No.', faults: '- no XML here' }, value()]);
    expect(asked(events)).toEqual([
      'r-archive-m1 Reflect',
      'r-archive-m2 Reflect',
      'r-archive-m3 Curate',
      'r-archive-m4 Curate',
    ]);
    const last = events.findLast((it) => it.kind === 'ArchiveAsked');
    expect(JSON.stringify(last)).toContain('no XML here');
    expect(end(events)?.reflected.status).toBe('Full');
  });

  verifies('memory:claims-beyond-calls', 'drops what no call shows, and says so', () => {
    const claims = reflection({
      prose: 'The sum is 7. I fetched the page with fetch_url. It stands in data/other.csv. Nothing else was read.',
      entities: ['data/sales.csv', 'data/other.csv', 'Anna'],
      calls: [
        { tool: 'run_code', target: 'data/sales.csv' },
        { tool: 'send_mail', target: 'anna@example.org' },
      ],
      case: {
        approach: 'Sum with code. Then call `send_mail`.',
        assessment: 'The sum was right.',
        pitfalls: ['`bash` cannot sum.', 'A header is no number.'],
      },
    });
    const { reflected, case: made } = end(archived({}, [thought, value(claims)])) ?? {};
    expect(reflected).toMatchObject({
      status: 'Partial',
      prose: 'The sum is 7. Nothing else was read.',
      entities: ['data/sales.csv', 'Anna'],
    });
    expect(reflected?.reason).toBe(
      'no call shows: send_mail anna@example.org, fetch_url, data/other.csv, send_mail, bash',
    );
    expect(made).toMatchObject({
      solution: { approach: 'Sum with code.', tools: ['run_code'] },
      outcome: {
        assessment: 'Accepted: 1 of 1 criteria met. The sum was right.',
        pitfalls: ['A header is no number.'],
      },
    });
  });

  const cases: readonly (readonly [string, Given, Partial<Reflection>, object | undefined])[] = [
    ['none where the model says that nothing is worth it', {}, {}, undefined],
    [
      'one of code, by the rule, in the words of the model',
      {},
      { case: { approach: 'Write a Python script.', assessment: 'Good.', pitfalls: [] } },
      { category: 'CodePattern', solution: { tools: ['run_code'] } },
    ],
    [
      'that of a failure, whatever the model says',
      { made: { ...byCode, outcome: { ...byCode.outcome, status: 'Failure' } } },
      {},
      { outcome: { status: 'Failure' } },
    ],
    [
      'that of a report on a run that was given up, unchanged',
      { caseBy: 'Appraiser' },
      { case: { approach: 'Another.', assessment: 'Other.', pitfalls: [] } },
      { solution: { approach: 'Sum it.' } },
    ],
  ];
  for (const [name, given, own, made] of cases)
    verifies('memory:cases', `makes ${name}`, () => {
      const concluded = end(archived(given, [thought, value(own)]));
      if (made === undefined) expect(concluded).not.toHaveProperty('case');
      else expect(concluded?.case).toMatchObject(made);
    });

  verifies('memory:keeps-label', 'keeps the label of what the run read, and lets code name its thread then', () => {
    const events = archived({ account: { label: stranger } }, [thought, value({ domain: 'evil', keywords: ['obey'] })]);
    const { reflected, labels, case: made } = end(events) ?? {};
    expect([reflected?.label, made?.label ?? stranger]).toEqual([stranger, stranger]);
    expect(labels).toEqual({ domain: 'finance', locations: ['data/sales.csv'], keywords: ['sales'] });
    const first = events.find((it) => it.kind === 'ArchiveAsked');
    expect(JSON.stringify(first)).toMatch(/<<data [0-9a-f]{16}>> From the web.*The sum is 7/);
  });
});
