/**
 * Dreams: runs the passes over memory, asks a model for words where it may, and writes what the passes want. Has no rules of its own.
 *
 * I1  What a pass wants is written in one append, so a run beside it is told memory before the pass or after it.
 * I2  A dream that a crash or a stop cut short is taken up with its own moment, and with the words that it has; its passes begin anew.
 * I3  A call begins only after its `DreamAsked` is durable. Words count for the sources that they were asked for: after an answer, the
 *     pass looks again.
 * I4  What goes wrong in a pass concerns neither the others nor the work: it is told, and the next dream tries again.
 *
 * Source: artoo A.11 (Dreamer), C (passes that are budgeted, idempotent and never in the way of work).
 */
import { setImmediate as pause } from 'node:timers/promises';
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { DreamCause, DreamEventOf } from '@retainer/mind/archive/dream-event';
import { passEnded } from '@retainer/mind/archive/pass-ended';
import { reworded } from '@retainer/mind/archive/reworded';
import { wordsOf, wordsRequest } from '@retainer/mind/archive/dream-words';
import type { Change, TendSettings, Wording } from '@retainer/mind/memory/tend/change';
import { PASS_NAMES, passes, type PassName } from '@retainer/mind/memory/tend/passes';
import type { Dreams } from '@retainer/mind/projections/dreams';
import type { Projections } from '@retainer/mind/projections/projections';
import type { ArchivistSettings } from './archive-driver.ts';
import { askModel, askedFor, textOf, type QuestionParts, type Reply } from './ask-model.ts';
import type { MemoryCommand, MemoryWriter } from './memory-writer.ts';
import type { Oversight } from './oversight.ts';

export interface DreamParts extends QuestionParts {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'mode'>;
  readonly known: () => Projections['states'];
  readonly write: MemoryWriter['write'];
  /** The driver makes no call that it refuses. */
  readonly oversight: Pick<Oversight, 'refusal'>;
  /** Whom the Archivist asks; absent: rules and lessons are in code's words, and threads keep their names. */
  readonly archivist?: ArchivistSettings;
  readonly tend: TendSettings;
  readonly onNotice?: (notice: string) => void;
  /** The journal takes no more. */
  readonly onFault: (error: unknown) => void;
}

/** Work after which a pass pauses: with the step that crosses it, the event loop is held for less than 20 ms. */
const SLICE_MS = 5;

/** Calls of a model in one dream. */
const CALLS_MAX = 4;

/** After this many useless answers, the Dreamer does not ask the same again: new experience makes it another question. */
const FAILURES_MAX = 3;

interface Dream {
  readonly dreamId: string;
  readonly atMs: number;
  readonly cause: DreamCause;
}

/** The dream is to end where it stands: the next start takes it up. */
class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export class DreamDriver {
  readonly #parts: DreamParts;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise<Reply>((resolve) =>
    this.#stop.signal.addEventListener('abort', () => resolve({ reason: 'the agent stopped' }), { once: true }),
  );
  /** Never rejects. */
  #dreaming: Promise<void> = Promise.resolve();

  constructor(parts: DreamParts) {
    this.#parts = parts;
  }

  /** Resolves when the dream is over, after every one before it. Never rejects. */
  dream(cause: DreamCause): Promise<void> {
    this.#dreaming = this.#dreaming.then(() => this.#guarded(cause));
    return this.#dreaming;
  }

  /** Stops the call under way. Resolves when nothing can reach the record any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#dreaming;
  }

  get #known(): Projections['states'] {
    return this.#parts.known();
  }

  get #open(): Dreams['open'] {
    return this.#known.dreams.open;
  }

  async #guarded(cause: DreamCause): Promise<void> {
    if (this.#stop.signal.aborted) return;
    try {
      await this.#dream(cause);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (this.#parts.journal.mode === 'Writable') this.#tell('the dream', error);
      else this.#parts.onFault(error);
    }
  }

  async #dream(cause: DreamCause): Promise<void> {
    const atMs = this.#open?.atMs ?? this.#parts.clock.nowMs();
    const dream: Dream = { dreamId: this.#open?.dreamId ?? `dream-${atMs}`, atMs, cause };
    await this.#loseCall();
    if (cause === 'Person') await this.#begin(dream);
    for (const name of PASS_NAMES) await this.#pass(dream, name);
    if (this.#open !== undefined) await this.#write([record('DreamEnded', { dreamId: dream.dreamId })]);
  }

  /** Nobody knows what a call brought that was under way when an earlier process ended. */
  async #loseCall(): Promise<void> {
    if (this.#open?.pending === undefined) return;
    const { dreamId, pending } = this.#open;
    await this.#write([record('DreamAnswered', { dreamId, ...pending, isLost: true, latencyMs: 0 })]);
  }

  async #begin({ dreamId, atMs, cause }: Dream): Promise<void> {
    if (this.#open === undefined) await this.#write([record('DreamBegun', { dreamId, atMs, cause })]);
  }

  async #pass(dream: Dream, name: PassName): Promise<void> {
    let changes: readonly Change[];
    try {
      changes = await this.#wanted(dream, name);
    } catch (error) {
      if (error instanceof StoppedError || this.#parts.journal.mode !== 'Writable') throw error;
      return this.#tell(`pass ${name} of the dream`, error);
    }
    if (changes.length === 0) return;
    await this.#begin(dream);
    // All of a pass is in one store. A crash before the second append loses the count of the changes, and no change.
    await this.#write(changes.flatMap(({ commands }) => commands));
    await this.#write([record('PassEnded', passEnded(dream.dreamId, name, changes))]);
  }

  async #wanted(dream: Dream, name: PassName): Promise<readonly Change[]> {
    let changes = await this.#through(name, dream.atMs);
    const unworded = changes.flatMap(({ wording }) => wording ?? []);
    if (await this.#askFor(dream, unworded)) changes = await this.#through(name, dream.atMs);
    return changes.flatMap((change) => this.#inWords(change));
  }

  async #through(name: PassName, atMs: number): Promise<readonly Change[]> {
    const { clock, tend } = this.#parts;
    const steps = passes[name](this.#known, atMs, tend);
    let sinceMs = clock.monotonicMs();
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      if (clock.monotonicMs() - sinceMs < SLICE_MS) continue;
      await pause();
      this.#goesOn();
      sinceMs = clock.monotonicMs();
    }
  }

  #goesOn(): void {
    if (this.#stop.signal.aborted) throw new StoppedError('the agent stopped in a dream');
  }

  /** As it may be written; nothing: it waits for words. */
  #inWords(change: Change): readonly Change[] {
    const { wording } = change;
    if (wording === undefined) return [change];
    if (this.#parts.archivist === undefined) return wording.form === 'Name' ? [] : [change];
    const words = this.#wordsFor(wording.subject);
    return words === undefined ? [] : [reworded(change, words)];
  }

  #wordsFor(subject: string): string | undefined {
    return this.#open?.words.find(([it]) => it === subject)?.[1];
  }

  /** @returns whether anything was asked, so that time has passed */
  async #askFor(dream: Dream, wordings: readonly Wording[]): Promise<boolean> {
    const { archivist } = this.#parts;
    let hasAsked = false;
    for (const wording of archivist === undefined ? [] : wordings) {
      const { failures } = this.#known.dreams;
      if ((this.#open?.asked ?? 0) >= CALLS_MAX || (failures.get(wording.subject) ?? 0) >= FAILURES_MAX) continue;
      if (archivist === undefined || this.#wordsFor(wording.subject) !== undefined) continue;
      await this.#begin(dream);
      await this.#ask(dream, wording, archivist);
      hasAsked = true;
    }
    return hasAsked;
  }

  async #ask({ dreamId }: Dream, wording: Wording, { model, wait }: ArchivistSettings): Promise<void> {
    const { clock, oversight } = this.#parts;
    const { subject } = wording;
    const request = wordsRequest(wording, model);
    const asked = { dreamId, callId: `${dreamId}-${(this.#open?.asked ?? 0) + 1}`, subject };
    await this.#write([record('DreamAsked', { ...asked, request })]);
    const startMs = clock.monotonicMs();
    const refusal = oversight.refusal(asked.callId);
    // Nobody waits for a dream.
    const options = { signal: this.#stop.signal, timeoutMs: wait.mostMs, refusal, fallback: model.fallback };
    const reply = await Promise.race([askModel(this.#parts, request, asked.callId, options), this.#stopped]);
    this.#goesOn();
    const account = askedFor(this.#parts, { startMs, refusal, replies: [reply] });
    await this.#write([record('DreamAnswered', { ...asked, ...answerIn(reply, wording), ...account })]);
  }

  #write(commands: readonly MemoryCommand<'Dreamer'>[]): Promise<void> {
    this.#goesOn();
    return this.#parts.write('Dreamer', commands);
  }

  #tell(what: string, error: unknown): void {
    const { name } = error instanceof Error ? error : { name: 'an error' };
    this.#parts.onNotice?.(`${what} failed with ${name}: the next dream tries again`);
  }
}

type Told = 'DreamBegun' | 'DreamAsked' | 'DreamAnswered' | 'PassEnded' | 'DreamEnded';

function record<K extends Told>(kind: K, payload: Omit<DreamEventOf<K>, 'kind'>): MemoryCommand<'Dreamer'> {
  return { store: 'dream', kind, payload } as never;
}

type Answer = Pick<DreamEventOf<'DreamAnswered'>, 'text' | 'words' | 'reason'>;

function answerIn(reply: Reply, wording: Wording): Answer {
  if (reply.answer === undefined) return { reason: reply.reason };
  if (reply.answer.stop === 'Refusal') return { reason: 'the model declined to answer' };
  const text = textOf(reply) ?? '';
  const { words, ...why } = wordsOf(text, wording);
  return words === undefined ? { text, ...why } : { text, words };
}
