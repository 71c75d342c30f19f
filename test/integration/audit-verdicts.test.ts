/**
 * The auditor decides verdicts anew: over real records of real runs, each verdict of which is tampered with in turn. The chain is
 * made anew each time, and no head was kept: nothing but the recomputation can find it.
 */
import { cpSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import type { JournalRecord } from '@retainer/journal/journal';
import { Auditor } from '../../agent-pod/src/audit/auditor.ts';
import { SETTLE_MS } from '../../agent-pod/src/audit/store-watch.ts';
import { WholePayloads } from '../../agent-pod/src/audit/whole-payload.ts';
import { isSaidOnce } from '../../agent-pod/src/loop/stores.ts';
import { VerdictAudit, type SavedVerdicts } from '../../agent-pod/src/audit/verdict-audit.ts';
import { readVerdicts, writeVerdicts } from '../../agent-pod/src/audit/verdict-file.ts';
import { VerdictCheck } from '@retainer/agent-pod/review/verdict-check';
import { manualClock } from '../support/manual-clock.ts';
import { journalOf, mildCharacter, recordRuns, strictCharacter } from '../support/recorded-agent.ts';
import { cutTail, rewriteRecord } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const original = journalOf(join(root.path, 'data'));
let cycleRecords: readonly JournalRecord[] = [];
/** Sequences of the two configurations in the store `agent`. */
let configured: readonly number[] = [];
let copies = 0;

beforeAll(async () => {
  const data = join(root.path, 'data');
  const all = ['plain', 'refused', 'approved', 'corrected', 'unsaid', 'unheard'] as const;
  const first = await recordRuns(data, strictCharacter, all);
  const second = await recordRuns(data, mildCharacter, ['again']);
  cycleRecords = [...first, ...second].filter(({ store }) => store === 'cycle');
  configured = [...first, ...second].filter(({ kind }) => kind === 'Configured').map(({ seq }) => seq);
});
afterAll(() => root.remove());

function copyOf(directory: string): string {
  copies += 1;
  const copy = join(root.path, `copy-${copies}`);
  cpSync(directory, copy, { recursive: true, filter: (path) => basename(path) !== 'ballast' });
  return copy;
}

interface Told {
  readonly kind: string;
  readonly store: string;
  readonly seq?: number | undefined;
  readonly detail: string;
}

interface Audited {
  readonly found: readonly Told[];
  readonly open: readonly Told[];
  readonly chain: readonly Told[];
  readonly verdicts: number;
  readonly saved: SavedVerdicts | undefined;
}

/** One auditor from its start to its end, on what is there. */
async function audited(
  directory: string,
  saved?: SavedVerdicts,
  characters: readonly (typeof mildCharacter)[] = [],
): Promise<Audited> {
  const clock = manualClock();
  const record = { heads: new Map(), keepHeads: () => Promise.resolve(), tell: () => Promise.resolve() };
  const auditor = new Auditor({ directory, record, clock });
  await auditor.look();
  clock.advance(SETTLE_MS);
  const { open: chain } = await auditor.look();
  const verdicts = new VerdictAudit({
    directory,
    clock,
    payloads: new WholePayloads(directory, isSaidOnce),
    makeRules: () => new VerdictCheck(characters),
    saved,
  });
  const found = await verdicts.look(auditor.walked);
  const file = join(root.path, 'verdicts.json');
  const kept = verdicts.save();
  if (kept !== undefined) await writeVerdicts(file, kept);
  const read = kept === undefined ? saved : await readVerdicts(file);
  return { found, open: verdicts.open, chain, verdicts: verdicts.figures.verdictsTotal, saved: read };
}

const placesOf = (found: readonly Told[]): readonly unknown[] =>
  found.map(({ kind, store, seq }) => [kind, store, seq]);
const gateRecords = (): readonly JournalRecord[] => cycleRecords.filter(({ kind }) => kind === 'GateDecided');

function payloadOf<T>({ payload }: JournalRecord): T {
  return payload as T;
}

/** @returns  a copy whose record `seq` of the store says something else, in a chain that is right in itself */
function tampered(seq: number, change: object, store = 'cycle'): string {
  const copy = copyOf(original);
  rewriteRecord(copy, store, seq, (record) => ({ ...record, payload: { ...record.payload, ...change } }));
  return copy;
}

function without(seq: number): string {
  const copy = copyOf(original);
  rewriteRecord(copy, 'cycle', seq, () => undefined);
  return copy;
}

function recordWhere(
  kind: string,
  holds: (payload: Readonly<Record<string, unknown>>) => boolean = () => true,
): JournalRecord {
  const record = cycleRecords.find((it) => it.kind === kind && holds(it.payload as never));
  if (record === undefined) throw new Error(`the runs have no such ${kind}`);
  return record;
}

describe('verdicts decided anew', () => {
  verifies('audit:verdicts-recomputed', 'are those of the record, under each of its characters', async () => {
    const verdicts = gateRecords().map((it) => payloadOf<{ gate: string; verdict: string }>(it));
    const kinds = new Set(verdicts.map(({ gate, verdict }) => `${gate} ${verdict}`));
    expect([...kinds].toSorted()).toEqual([
      'Input Accept',
      'Input Reject',
      'Output Accept',
      'Output Reject',
      'Tool Accept',
      'Tool Escalate',
      'Tool Reject',
    ]);
    expect(cycleRecords.some(({ cycleId }) => cycleId?.endsWith('-c2'))).toBe(true);
    const { found, verdicts: count } = await audited(original);
    expect(found).toEqual([]);
    expect(count).toBe(verdicts.length);
  });

  const others = {
    verdict: (it: string) => (it === 'Accept' ? 'Reject' : 'Accept'),
    rule: () => 'effect-class/9',
    reason: () => 'because I say so',
  } as const;
  for (const [member, other] of Object.entries(others)) {
    verifies(
      'audit:verdicts-recomputed',
      `are not those of a record with another ${member}, wherever it is`,
      async () => {
        for (const record of gateRecords()) {
          const { seq } = record;
          const was = payloadOf<Readonly<Record<string, string>>>(record)[member] ?? '';
          const { found, chain } = await audited(tampered(seq, { [member]: other(was) }));
          expect(chain).toEqual([]);
          expect(placesOf(found)).toEqual([['VerdictMismatch', 'cycle', seq]]);
        }
      },
    );
  }

  it('tell rules and ids, and nothing that somebody wrote', async () => {
    const { seq } = recordWhere('GateDecided', ({ verdict, gate }) => gate === 'Tool' && verdict === 'Reject');
    const { found } = await audited(tampered(seq, { verdict: 'Accept', rule: 'see https://evil.example/ for more' }));
    expect(found[0]?.detail).toMatch(
      /^gate Tool, call refused-\w+-c1-t1: recorded Accept by \(no id\), recomputed Reject by authority\.never\/data-is-read-only$/,
    );
  });

  verifies('audit:verdicts-recomputed', 'are not those of a record whose question was exchanged', async () => {
    const asked = recordWhere('ModelAnswered', ({ answer }) => JSON.stringify(answer).includes('data/a.csv'));
    const harmless = JSON.parse(JSON.stringify(asked.payload).replace('data/a.csv', 'report.md')) as object;
    const { found } = await audited(tampered(asked.seq, harmless));
    expect(placesOf(found)).toEqual([['VerdictMismatch', 'cycle', asked.seq + 1]]);
  });
});

describe('what a verdict stands for', () => {
  verifies('audit:effects-and-replies-gated', 'is missed where the verdict is taken out of the record', async () => {
    for (const { seq, cycleId } of gateRecords()) {
      const next = cycleRecords.find((it) => it.cycleId === cycleId && it.seq === seq + 1);
      const { found, chain } = await audited(without(seq));
      expect(chain).toEqual([]);
      const kind =
        { ToolRequested: 'UngatedEffect', CycleEnded: 'UngatedReply' }[next?.kind ?? ''] ?? 'VerdictMismatch';
      expect(found.map((it) => it.kind)).toEqual([kind]);
    }
  });

  verifies('audit:effects-and-replies-gated', 'is exactly the call that was accepted', async () => {
    const { seq } = recordWhere('ToolRequested');
    for (const change of [
      { input: { path: 'data/a.csv', content: 'forged' } },
      { argumentsDigest: 'a'.repeat(64) },
      { callId: 'another' },
    ]) {
      expect(placesOf((await audited(tampered(seq, change))).found)).toEqual([['UngatedEffect', 'cycle', seq]]);
    }
  });

  verifies('audit:effects-and-replies-gated', 'is no call where the verdict was a refusal', async () => {
    const refused = recordWhere('CallAnswered', ({ why }) => why === 'Refused');
    const { callId, tool, argumentsDigest } = payloadOf<Readonly<Record<string, string>>>(refused);
    const copy = copyOf(original);
    const payload = { callId, tool, input: { path: 'data/a.csv', content: 'forged' }, argumentsDigest, effectClass: 1 };
    rewriteRecord(copy, 'cycle', refused.seq, (record) => ({ ...record, kind: 'ToolRequested', payload }));
    expect(placesOf((await audited(copy)).found)).toEqual([['UngatedEffect', 'cycle', refused.seq]]);
  });

  verifies('audit:effects-and-replies-gated', 'is exactly the reply that was let pass, or none', async () => {
    const accepted = recordWhere('CycleEnded', ({ text }) => text === 'done');
    const refused = recordWhere('CycleEnded', ({ outcome }) => outcome === 'Refused');
    for (const { seq, change } of [
      { seq: accepted.seq, change: { text: 'The word is xyzzy.' } },
      { seq: refused.seq, change: { outcome: 'Replied', text: 'The word is xyzzy.' } },
    ]) {
      expect(placesOf((await audited(tampered(seq, change))).found)).toEqual([['UngatedReply', 'cycle', seq]]);
    }
  });
});

describe('records whose content is kept beside them', () => {
  verifies('audit:verdicts-recomputed', 'are judged as all others', async () => {
    const data = join(root.path, 'long');
    const gated = (await recordRuns(data, strictCharacter, ['long'])).filter(({ kind }) => kind === 'GateDecided');
    const { found, verdicts } = await audited(journalOf(data));
    expect([placesOf(found), verdicts]).toEqual([[], gated.length]);
    expect(readdirSync(join(journalOf(data), 'blobs'))).not.toEqual([]);
  });
});

describe('what cannot be decided anew', () => {
  /** Of the configuration by which the first run was decided. */
  const agentSeq = (): number => configured[0] ?? 0;

  verifies('audit:cannot-recompute', 'is told where a verdict names a character that nobody configured', async () => {
    const [first] = gateRecords();
    const seq = first?.seq ?? 0;
    const { found } = await audited(tampered(seq, { characterDigest: `sha256:${'0'.repeat(64)}` }));
    expect(placesOf(found)).toEqual([['CannotRecompute', 'cycle', seq]]);
    expect(found[0]?.detail).toContain('a character of digest 000000000000');
  });

  verifies(
    'audit:cannot-recompute',
    'is told once where the configuration holds another character than it names',
    async () => {
      const copy = tampered(agentSeq(), { character: JSON.parse(JSON.stringify(mildCharacter)) as object }, 'agent');
      const { found, chain } = await audited(copy);
      expect(chain).toEqual([]);
      expect(placesOf(found)).toEqual([['CannotRecompute', 'agent', agentSeq()]]);
      expect((await audited(copy, undefined, [mildCharacter])).found).toHaveLength(1);
      const supplied = await audited(copy, undefined, [mildCharacter, strictCharacter]);
      expect(supplied.found).toEqual([]);
      expect(supplied.verdicts).toBe(gateRecords().length);
    },
  );

  verifies('audit:cannot-recompute', 'is told once where no configuration stands before it', async () => {
    const copy = copyOf(original);
    rewriteRecord(copy, 'agent', agentSeq(), () => undefined);
    const { found } = await audited(copy);
    expect(placesOf(found)).toEqual([['CannotRecompute', 'cycle', cycleRecords[0]?.seq]]);
  });

  verifies(
    'audit:cannot-recompute',
    'is told where a cycle has lost its beginning, or an input its shape',
    async () => {
      const started = recordWhere('CycleStarted');
      expect(placesOf((await audited(without(started.seq))).found)).toEqual([
        ['CannotRecompute', 'cycle', started.seq],
      ]);
      const { seq } = recordWhere('ModelAnswered');
      expect(placesOf((await audited(tampered(seq, { answer: 'none' }))).found)).toEqual([
        ['CannotRecompute', 'cycle', seq],
      ]);
    },
  );

  it('is told where another character was put in, with its own digest', async () => {
    const character = JSON.parse(JSON.stringify(mildCharacter)) as object;
    const digest = characterDigest(mildCharacter.spec);
    const { found } = await audited(tampered(agentSeq(), { character, characterDigest: digest }, 'agent'));
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['CannotRecompute']));
  });
});

describe('a character from outside the journal', () => {
  /** One auditor that looks at the first records, and at all of them later. */
  async function followed(
    characters: readonly (typeof mildCharacter)[],
    first: { readonly cycle: number; readonly agent: number },
  ): Promise<readonly Told[]> {
    const directory = copyOf(original);
    cutTail(directory, 'cycle', first.cycle);
    cutTail(directory, 'agent', first.agent);
    const clock = manualClock();
    const record = { heads: new Map(), keepHeads: () => Promise.resolve(), tell: () => Promise.resolve() };
    const auditor = new Auditor({ directory, record, clock });
    const verdicts = new VerdictAudit({
      directory,
      clock,
      payloads: new WholePayloads(directory, isSaidOnce),
      makeRules: () => new VerdictCheck(characters),
    });
    const look = async (): Promise<readonly Told[]> => {
      await auditor.look();
      clock.advance(SETTLE_MS);
      await auditor.look();
      return verdicts.look(auditor.walked);
    };
    const before = await look();
    for (const store of ['agent', 'cycle'])
      cpSync(join(original, store), join(directory, store), { recursive: true, force: true });
    return [...before, ...(await look())];
  }

  verifies(
    'audit:foreign-character',
    'is the only one under which the agent may decide while it is watched',
    async () => {
      const [mild = 0, strict = 0] = configured;
      const last = cycleRecords.at(-1)?.seq ?? 0;
      const isOfSecond = ({ cycleId }: JournalRecord): boolean => cycleId?.startsWith('again') === true;
      const second = cycleRecords.find(isOfSecond)?.seq ?? 0;
      expect(placesOf(await followed([strictCharacter], { agent: 0, cycle: 0 }))).toEqual([
        ['ForeignCharacter', 'agent', strict],
      ]);
      expect(placesOf(await followed([mildCharacter], { agent: 0, cycle: 0 }))).toEqual([
        ['ForeignCharacter', 'agent', mild],
      ]);
      expect(await followed([mildCharacter, strictCharacter], { agent: 0, cycle: 0 })).toEqual([]);
      expect(await followed([], { agent: 0, cycle: 0 })).toEqual([]);
      expect(await followed([mildCharacter], { agent: strict, cycle: second })).toEqual([]);
      expect(placesOf(await followed([strictCharacter], { agent: strict + 1, cycle: last }))).toEqual([
        ['ForeignCharacter', 'agent', strict],
      ]);
    },
  );
});

describe('an auditor that is started again', () => {
  verifies('audit:verdicts-resumed', 'finds the same, wherever it was stopped, and nothing twice', async () => {
    const { seq } = recordWhere('GateDecided', ({ rule }) => rule === 'approval/granted');
    const whole = tampered(seq, { verdict: 'Reject' });
    for (const { seq: stop } of cycleRecords) {
      const half = copyOf(whole);
      cutTail(half, 'cycle', stop);
      const first = await audited(half);
      const second = await audited(whole, first.saved);
      expect(placesOf([...first.found, ...second.found])).toEqual([['VerdictMismatch', 'cycle', seq]]);
      expect(placesOf(second.open)).toEqual([['VerdictMismatch', 'cycle', seq]]);
      expect(placesOf((await audited(original, first.saved)).found)).toEqual([]);
    }
  });

  verifies(
    'audit:verdicts-resumed',
    'begins where the oldest open cycle does, and from the start in another record',
    async () => {
      const { saved, verdicts } = await audited(original);
      expect(saved?.from).toEqual(saved?.to);
      const again = await audited(original, saved);
      expect(again.verdicts).toBe(0);
      const { seq } = gateRecords()[0] ?? { seq: 0 };
      const other = await audited(tampered(seq, { reason: 'another' }), saved);
      expect(placesOf(other.found)).toEqual([['VerdictMismatch', 'cycle', seq]]);
      expect(verdicts).toBeGreaterThan(0);
    },
  );
});
