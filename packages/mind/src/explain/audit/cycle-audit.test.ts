import { expect } from 'vitest';
import { knownTools } from '@retainer/agent-pod/parts/catalog';
import type { JournalRecord } from '@retainer/contract/wire/record';
import { smallRun } from '../../../../../test/support/small-run.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { storyTeller } from '../tell-run.ts';
import { auditedStep, cycleParts, requestIn } from './cycle-audit.ts';

const own = smallRun.filter(({ store }) => store === 'cycle' || store === 'archive');
const tell = storyTeller(knownTools);
const steps = smallRun.flatMap((record) => tell(record).map((step) => auditedStep(step, record)));

verifies('audit-view:cycle-requests', 'finds the requests of the work, the gates and the reader', () => {
  const { requests } = cycleParts(own);
  expect(new Set(requests.map(({ asks }) => asks))).toEqual(new Set(['Work', 'Gate', 'Reader']));
  for (const { bytes, store, seq } of requests) {
    const record = own.find((it) => it.store === store && it.seq === seq);
    expect(JSON.stringify(record?.payload)).toContain(`"request":${bytes}`);
  }
  const told = steps.flatMap(({ texts }) => texts).filter(({ title }) => title.startsWith('request as recorded, '));
  expect(told.map(({ text }) => text).toSorted()).toEqual(requests.map(({ bytes }) => bytes).toSorted());
});

const pair = {
  claim: 'unsourced_claim',
  commitment: 'Every figure names its source.',
  rule: 'axiom-6.2',
  severity: 'Coordinate',
  outcome: 'Resolved',
};

verifies('audit-view:cycle', 'shows each pair of the trail of a verdict', () => {
  const weighed = own.find(({ payload }) => JSON.stringify(payload).includes('"trail":[]'));
  const payload = JSON.parse(
    JSON.stringify(weighed?.payload).replace('"trail":[]', `"trail":${JSON.stringify([pair])}`),
  );
  const record = { ...(weighed ?? own[0]), payload } as JournalRecord;
  const [told] = storyTeller(knownTools)(record).map((step) => auditedStep(step, record));
  expect(told?.texts.map(({ title, text }) => `${title}: ${text}`)).toEqual([
    'trail of policy output: unsourced_claim × Every figure names its source.: axiom-6.2, Coordinate, Resolved',
  ]);
});

verifies('audit-view:cycle-requests', 'finds those of the Archivist', () => {
  const payload = { callId: 'r-a1', step: 'Reflect', request: { model: 'm', role: 'archivist', messages: [] } };
  const place = {
    version: 1,
    seq: 4,
    order: 9,
    epoch: 1,
    timeMs: 0,
    prev: '',
    hash: '',
    principal: 'agent',
    runId: 'r',
  };
  expect(requestIn({ ...place, store: 'archive', kind: 'ArchiveAsked', payload })).toMatchObject({
    callId: 'r-a1',
    asks: 'Memory',
    bytes: '{"model":"m","role":"archivist","messages":[]}',
    seq: 4,
  });
});

verifies('audit-view:cycle', 'tells of a call whether it ended, was lost or is under way', () => {
  const states = (records: readonly JournalRecord[]): readonly unknown[] =>
    cycleParts(records).calls.map(({ outcome, isLost }) => outcome?.status ?? isLost);
  expect(states(own)).toEqual(['Ok']);
  const unended = own.filter(({ kind }) => kind !== 'ToolFinished');
  expect(states(unended)).toEqual([undefined]);
  const lost = own.map((it) => (it.kind === 'ToolFinished' ? { ...it, kind: 'EffectLost' } : it));
  expect(states(lost)).toEqual([true]);
});
