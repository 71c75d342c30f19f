/**
 * The auditor that decides verdicts anew as its process does: what it tells, shows and remembers, and what it is given. And verdicts
 * that hang on scores of a model.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import { openJournalRecords } from '@retainer/agent-pod/review/run-records';
import type { LogLine } from '../../contract/src/std/log.ts';
import { runAuditor } from '../../agent-pod/src/audit/run-auditor.ts';
import { judgeRecords } from '../../agent-pod/src/audit/judge-records.ts';
import { isSaidOnce } from '../../agent-pod/src/loop/stores.ts';
import type { Judge } from '../../agent-pod/src/audit/judging.ts';
import { SETTLE_MS } from '../../agent-pod/src/audit/store-watch.ts';
import { LOOK_MS_MAX } from '../../agent-pod/src/audit/verdict-audit.ts';
import { runInputs } from '@retainer/mind/run/event';
import { RunCheck } from '@retainer/agent-pod/review/run-check';
import { checkVerdicts, VerdictCheck } from '@retainer/agent-pod/review/verdict-check';
import { manualClock } from '../support/manual-clock.ts';
import { journalOf, mildCharacter, recordRuns, scoredCharacter, strictCharacter } from '../support/recorded-agent.ts';
import { rewriteRecord } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const program = fileURLToPath(new URL('../../agent-pod/dist/auditor-main.js', import.meta.url));
const root = temporaryDirectory();
const original = journalOf(join(root.path, 'data'));
let cycleRecords: readonly JournalRecord[] = [];
let verdicts: readonly JournalRecord[] = [];
let copies = 0;
/** Of the configuration by which all was decided. */
let configuredSeq = 0;

beforeAll(async () => {
  const records = await recordRuns(join(root.path, 'data'), strictCharacter, ['plain', 'refused']);
  configuredSeq = records.find(({ kind }) => kind === 'Configured')?.seq ?? 0;
  cycleRecords = records.filter(({ store }) => store === 'cycle');
  verdicts = cycleRecords.filter(({ kind }) => kind === 'GateDecided');
});
afterAll(() => root.remove());

/** With one record that says something else, in a chain that is right in itself. */
function tampered(store: string, seq: number, change: object, from = original): string {
  copies += 1;
  const copy = join(root.path, `copy-${copies}`);
  cpSync(from, copy, { recursive: true, filter: (path) => basename(path) !== 'ballast' });
  rewriteRecord(copy, store, seq, (record) => ({ ...record, payload: { ...record.payload, ...change } }));
  return copy;
}

describe('the auditor as a process', () => {
  const lookEveryMs = 2_000;
  let judging: Promise<unknown> | undefined;

  /** In this process. */
  const judge: Judge = (request) => {
    const batch = judgeRecords(request, {
      clock: manualClock(),
      namesPlaces: isSaidOnce,
      makeVerdictRules: () => new VerdictCheck(),
      makeRunRules: (isTold) => new RunCheck([], isTold),
      isRunInput: (kind) => kind in runInputs,
    });
    judging = batch;
    return batch;
  };

  /** Follows for as long as records need to settle, and ends. */
  async function follow(directory: string, own: string): Promise<readonly LogLine[]> {
    const lines: LogLine[] = [];
    const stop = new AbortController();
    const clock = manualClock();
    const running = runAuditor(
      {
        journalDirectory: directory,
        ownDirectory: own,
        characterFiles: [],
        busSocket: undefined,
        once: false,
        lookEveryMs,
        telling: undefined,
        metricsFile: join(own, 'metrics'),
        port: undefined,
        listenAll: false,
        setAside: undefined,
      },
      { clock, signal: stop.signal, log: (line) => void lines.push(line), judge },
    );
    // Until records settle, and until judging rests once.
    for (let sinceMs = 0; sinceMs <= SETTLE_MS + LOOK_MS_MAX; sinceMs += lookEveryMs) {
      await clock.untilSleeping(lookEveryMs);
      await judging;
      clock.advance(lookEveryMs);
    }
    await clock.untilSleeping(lookEveryMs);
    stop.abort();
    expect(await running).toBe(0);
    return lines.filter(({ kind }) => kind !== undefined);
  }

  const metricsIn = (own: string): string => readFileSync(join(own, 'metrics'), 'utf8');

  verifies(
    'audit:verdicts-recomputed',
    'tells it as a finding and in its metrics, and remembers how far it was',
    async () => {
      const own = join(root.path, 'own');
      const { seq } = verdicts.at(-1) ?? { seq: 0 };
      const directory = tampered('cycle', seq, { reason: 'other' });
      const [line, ...more] = await follow(directory, own);
      expect(line).toMatchObject({ level: 'error', kind: 'VerdictMismatch', store: 'cycle', seq });
      expect(more).toEqual([]);
      const last = cycleRecords.at(-1)?.seq;
      expect(metricsIn(own)).toContain('retainer_auditor_findings{kind="VerdictMismatch"} 1\n');
      expect(metricsIn(own)).toContain(`retainer_auditor_verdicts_total ${verdicts.length - 1}\n`);
      expect(metricsIn(own)).toContain(`retainer_auditor_verdicts_last_seq ${last}\n`);
      expect(await follow(directory, own)).toEqual([]);
      expect(metricsIn(own)).toContain('retainer_auditor_findings{kind="VerdictMismatch"} 1\n');
      expect(metricsIn(own)).toContain('retainer_auditor_verdicts_total 0\n');
    },
  );

  it('takes characters from files, and ends with what is wrong where one is none', async () => {
    const directory = tampered('agent', configuredSeq, { character: null });
    const files = { strict: strictCharacter, mild: mildCharacter };
    for (const [name, character] of Object.entries(files))
      writeFileSync(join(root.path, `${name}.json`), JSON.stringify(character));
    const auditOnce = (...names: readonly string[]): ReturnType<typeof spawnSync> =>
      spawnSync(
        process.execPath,
        [program, '--journal', directory, '--once'].concat(
          names.flatMap((name) => ['--character', join(root.path, name)]),
        ),
        { encoding: 'utf8' },
      );
    expect(auditOnce().status).toBe(3);
    expect(auditOnce('mild.json').stdout).toContain('"kind":"CannotRecompute"');
    expect(auditOnce('mild.json', 'strict.json').status).toBe(0);
    expect(auditOnce('nowhere.json')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/--character: .*nowhere.json cannot be read/),
    });
  });
});

describe('verdicts upon scores of a model', () => {
  const data = join(root.path, 'scored');
  const at = (kind: string): readonly JournalRecord[] => scored.filter((it) => it.kind === kind);
  let scored: readonly JournalRecord[] = [];

  beforeAll(async () => {
    const records = await recordRuns(data, scoredCharacter, ['approved', 'vile']);
    scored = records.filter(({ store }) => store === 'cycle');
  });

  async function kindsIn(directory: string): Promise<readonly unknown[]> {
    const { findings } = await checkVerdicts(await openJournalRecords(directory));
    return findings.map(({ kind, seq }) => [kind, seq]);
  }

  verifies('audit:verdicts-recomputed', 'are decided anew from the scores as they are recorded', async () => {
    const verdictsGiven = at('GateDecided').map(({ payload }) => (payload as { readonly verdict: string }).verdict);
    expect(new Set(verdictsGiven)).toEqual(new Set(['Accept', 'Escalate', 'Reject']));
    expect(at('GateScored').length).toBeGreaterThan(2);
    expect(await kindsIn(journalOf(data))).toEqual([]);
    for (const { seq } of at('GateDecided')) {
      const copy = tampered('cycle', seq, { reason: 'another' }, journalOf(data));
      expect(await kindsIn(copy)).toEqual([['VerdictMismatch', seq]]);
    }
  });

  verifies('audit:verdicts-recomputed', 'do not stand where the score under them is another one', async () => {
    for (const { seq, payload } of at('GateScored')) {
      const other = JSON.stringify(payload).includes('"magnitude":0') ? 3 : 0;
      const changed = JSON.parse(JSON.stringify(payload).replace(/"magnitude":\d/, `"magnitude":${other}`)) as object;
      const [found] = await kindsIn(tampered('cycle', seq, changed, journalOf(data)));
      expect(found).toEqual(['VerdictMismatch', expect.any(Number)]);
    }
  });
});
