/** A memory without a record: what passes over it want is folded at once. */
import type { Megram } from '@retainer/contract/wire/bus/payloads';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { cases, type CaseWritten } from '@retainer/mind/parts/cases/cases';
import { facts } from '@retainer/mind/parts/facts/facts';
import { megrams, type MegramEvent } from '@retainer/mind/parts/megrams/megrams';
import type { StoredMegram } from '@retainer/mind/parts/megrams/potentials';
import type { Change, Pass, Tended } from '@retainer/mind/memory/tend/change';
import { PASS_NAMES, passes, type PassName } from '@retainer/mind/memory/tend/passes';
import type { RunLabels } from '@retainer/mind/parts/threads/thread-rules';
import { threads } from '@retainer/mind/parts/threads/threads';

export const DAY_MS = 86_400_000;

export const trusted: Label = { source: { kind: 'Workspace' }, trust: 'Trusted', readers: ['owner'] };
export const stranger: Label = { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' };

/** The source's table of what a decision weighs. */
export const accept = { state: 'Accept', f: 0.9, sigma: 1, k: 0.05 } as const;
export const success = { state: 'Success', f: 0.8, sigma: 1, k: 0.05 } as const;
export const abandon = { state: 'Abandon', f: 0.95, sigma: -1, k: 0.05 } as const;
export const changeApproach = { state: 'ChangeApproach', f: 0.85, sigma: -1, k: 0.05 } as const;

const settings = { caseDedupSimilarity: 0.92 };

/** All that a pass does, without its pauses. */
export function through(pass: Pass, known: Tended, nowMs: number, given = settings): readonly Change[] {
  const steps = pass(known, nowMs, given);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

export class TendedMemory implements Tended {
  readonly megrams = megrams.start();
  readonly cases = cases.start();
  readonly threads = threads.start();
  readonly facts = facts.start();
  #seq = 0;

  /** Writes a megram of a run; its id says which. */
  learn(id: string, numbers: Partial<Megram>, label: Label = trusted): void {
    const plain = { level: 'M', createdAtMs: 0, space: 'intent:sum', entity: 'env:local', content: id } as const;
    const megram = { ...plain, ...accept, ...numbers, id };
    this.take('megram', 'MegramWritten', { megram, label });
  }

  /** The run failed with the tool on the target. */
  fail(
    runId: string,
    target: string,
    { content = `Work on ${target}: no sum there`, label = trusted, atMs = 0 } = {},
  ): void {
    const pair = { space: 'tool:change', entity: `path:${target}` };
    this.learn(`${runId}-g3-1`, { ...pair, ...changeApproach, content, createdAtMs: atMs }, label);
  }

  tell(event: MegramEvent): void {
    this.megrams.take(event);
  }

  try(caseId: string, change: Partial<CaseWritten>, atMs = 0): void {
    this.take('case', 'CaseWritten', { ...plainCase(caseId), ...change }, { atMs });
  }

  join(
    threadId: string,
    runId: string,
    labels: Partial<RunLabels>,
    { atMs = 0, position = 1, label = trusted } = {},
  ): void {
    const own = { domain: '', locations: [], keywords: [], ...labels };
    const name = own.domain || `Thread ${runId}`;
    const payload = { threadId, name, score: 0, matched: own, position, continuity: '', labels: own, label };
    this.take('thread', 'ThreadJoined', payload, { atMs, runId });
  }

  megram(id: string): StoredMegram | undefined {
    return this.megrams.kept.megrams.find((it) => it.id === id);
  }

  /** What one pass wants, folded. */
  after(name: PassName, nowMs: number, given = settings): readonly Change[] {
    const changes = through(passes[name], this, nowMs, given);
    for (const { commands } of changes)
      for (const { store, kind, payload } of commands) this.take(store, kind, payload, { atMs: nowMs });
    return changes;
  }

  /** What a whole dream wants, each pass folded before the next one. */
  dream(nowMs: number, given = settings): readonly Change[] {
    return PASS_NAMES.flatMap((name) => this.after(name, nowMs, given));
  }

  /** A dream of which only so many records were written. */
  dreamTo(records: number, nowMs: number, given = settings): void {
    let left = records;
    for (const name of PASS_NAMES) {
      const wanted = through(passes[name], this, nowMs, given).flatMap(({ commands }) => commands);
      for (const { store, kind, payload } of wanted.slice(0, left)) this.take(store, kind, payload, { atMs: nowMs });
      left = Math.max(0, left - wanted.length);
    }
  }

  take(
    store: 'megram' | 'case' | 'thread' | 'fact',
    kind: string,
    payload: unknown,
    { atMs = 0, runId = 'r' } = {},
  ): void {
    const record = { store, kind, seq: (this.#seq += 1), timeMs: atMs, payload: payload as never, runId };
    if (store === 'megram') megrams.take(this.megrams, record);
    if (store === 'case') cases.take(this.cases, record);
    if (store === 'thread') threads.take(this.threads, record);
    if (store === 'fact') facts.take(this.facts, record);
  }
}

export function plainCase(caseId: string): CaseWritten {
  return {
    caseId,
    category: 'Pitfall',
    problem: {
      input: 'Sum.',
      intent: 'sum',
      domain: 'sales',
      entities: [],
      keywords: ['march', 'sales'],
      complexity: 'Simple',
    },
    solution: { approach: 'Read it.', agents: ['Executor'], tools: ['change'], steps: [] },
    outcome: { status: 'Failure', confidence: 0, assessment: 'Abandoned', pitfalls: ['no file'] },
    label: trusted,
  };
}
