/**
 * Archives ended runs: one after the other, each after its run is closed. Has no rules of its own.
 *
 * I1  A run is closed only after its entry and the opening of its archiving are durable; it waits for nothing else here.
 * I2  A call begins only after the event that requests it is durable. After a restart, its answer counts as lost.
 * I3  What goes wrong with one archiving concerns neither its run nor another archiving: it is left to the next start.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import { curateQuestion } from '@retainer/mind/agents/archivist';
import { archiveRun } from '@retainer/mind/archive/archive-run';
import { archivistWaitMs } from '@retainer/mind/archive/archivist-wait';
import { accountOf } from '@retainer/mind/archive/account';
import { caseCredit } from '@retainer/mind/archive/case-credit';
import type { ArchiveEvent, ArchiveEventOf, ArchiveInput, ArchivistModel } from '@retainer/mind/archive/event';
import type { ArchiveState } from '@retainer/mind/archive/state';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { WaitBounds } from '@retainer/mind/cycle/pace';
import type { RunState } from '@retainer/mind/run/state';
import type { ParseStructured } from '../infer/structured.ts';
import { archiveMachine } from './archive-machine.ts';
import type { ArchiveRecords } from './archive-records.ts';
import { askModel, askedFor, textOf, type QuestionParts, type Reply } from './ask-model.ts';
import { Instance, restoreInstance, type InstanceParts } from './instance.ts';
import type { Oversight } from './oversight.ts';

/** Whom the Archivist asks, and how long it waits for each answer. */
export interface ArchivistSettings {
  readonly model: ArchivistModel;
  /** For one answer, before its speed was measured, and at most. */
  readonly wait: WaitBounds;
}

export interface ArchiveParts extends InstanceParts, QuestionParts {
  /** Projects what it appends: the budgets and the next start's list of open archivings follow from that. */
  readonly journal: Pick<Journal, 'append' | 'mode'>;
  readonly clock: Clock;
  readonly records: ArchiveRecords;
  /** The driver makes no call that it refuses. */
  readonly oversight: Pick<Oversight, 'refusal'>;
  /** Absent: no model is asked. */
  readonly archivist?: ArchivistSettings;
  readonly config: Pick<CycleConfig, 'catalog'>;
  readonly drawNonce: () => string;
  readonly parseStructured: ParseStructured;
  readonly onNotice?: (notice: string) => void;
  /** Everything that a run leaves is in memory. */
  readonly onArchived?: () => void;
  /** The journal takes no more. */
  readonly onFault: (error: unknown) => void;
}

type ArchiveInstance = Instance<ArchiveState, ArchiveInput, ArchiveEvent>;

/**
 * Runs that may wait for the Archivist. At some ten seconds a run these are minutes; behind more of them a run is remembered as
 * code has it, so that memory does not fall behind the work for good.
 */
const WAITING_MAX = 50;
const TOO_MANY = `more than ${WAITING_MAX} runs wait for the Archivist`;

const OTHER_DECIDERS = 'another version of the program began it, and this one cannot complete its last decision';

export class ArchiveDriver {
  readonly #parts: ArchiveParts;
  readonly #open = new Map<string, ArchiveInstance>();
  /** Runs that are closed and wait for their turn, in that order. */
  readonly #waiting: string[] = [];
  readonly #stop = new AbortController();
  /** Who stops waits for no model. */
  readonly #stopped = new Promise<Reply>((resolve) =>
    this.#stop.signal.addEventListener('abort', () => resolve({ reason: 'the agent stopped' }), { once: true }),
  );
  /** Never rejects. */
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;

  constructor(parts: ArchiveParts) {
    this.#parts = parts;
  }

  /** Writes the entry of an ended run, and opens its archiving. Does nothing twice. */
  async open(state: RunState): Promise<void> {
    const { runId } = state.spec;
    const { records, archivist, config } = this.#parts;
    const tools = config.catalog.known.all.map(({ name }) => name);
    const archived = archiveRun(state);
    await records.remember(runId, archived, caseCredit(state));
    if (this.#open.has(runId) || this.#isStopped) return;
    const instance = this.#make(runId);
    await instance.feed({
      kind: 'ArchiveOpened',
      atMs: this.#now(),
      account: accountOf(state, tools),
      fallback: archived.fallback,
      endedAtMs: state.nowMs,
      nonce: state.nonce,
      ...(archivist === undefined ? {} : asked(state, archivist)),
      deciders: DECIDERS,
    });
  }

  /** The run is closed: its archiving may begin. */
  begin(runId: string): void {
    if (!this.#open.has(runId) || this.#isStopped) return;
    this.#waiting.push(runId);
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#working = this.#workOff();
  }

  /** Takes up what was open at the end of an earlier process. */
  async resume(open: Iterable<readonly [runId: string, events: readonly ArchiveEvent[]]>): Promise<void> {
    for (const [runId, events] of open) {
      try {
        const restored = restoreInstance(archiveMachine, events);
        const instance = this.#make(runId);
        await instance.resume(restored);
        await instance.feed({ kind: 'DecidersChanged', atMs: this.#now(), deciders: DECIDERS });
        const { pending } = restored.state;
        if (pending !== undefined) await instance.feed(this.#lost(pending.callId));
      } catch (error) {
        this.#leave(runId, error);
      }
    }
  }

  /** Resolves when no closed run waits for the Archivist. */
  settled(): Promise<void> {
    return this.#working;
  }

  /** Stops the call under way. Resolves when nothing can reach the record any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#open.values()].map((instance) => instance.stop()));
    await this.#working;
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  #make(runId: string): ArchiveInstance {
    const instance: ArchiveInstance = new Instance(archiveMachine, { runId }, this.#parts, () => undefined);
    this.#open.set(runId, instance);
    return instance;
  }

  async #workOff(): Promise<void> {
    for (let runId = this.#waiting.shift(); runId !== undefined; runId = this.#waiting.shift()) {
      const instance = this.#open.get(runId);
      if (instance === undefined || this.#isStopped) continue;
      try {
        await this.#archive(instance);
        this.#open.delete(runId);
        this.#parts.onArchived?.();
      } catch (error) {
        this.#leave(runId, error);
      }
    }
    this.#isWorking = false;
  }

  async #archive(instance: ArchiveInstance): Promise<void> {
    const unasked = this.#waiting.length > WAITING_MAX ? { unasked: TOO_MANY } : {};
    await instance.feed({ kind: 'ArchiveBegun', atMs: this.#now(), ...unasked });
    for (let { state } = instance; state !== undefined && !state.isClosed; { state } = instance) {
      const next = await this.#next(instance, state);
      if (this.#isStopped || !(await instance.feed(next))) return;
    }
  }

  async #next({ ids }: ArchiveInstance, state: ArchiveState): Promise<ArchiveInput> {
    const { concluded, pending, opened } = state;
    if (concluded !== undefined) {
      const { kind: _, ...remembrance } = concluded;
      await this.#parts.records.keep({ runId: ids.runId, endedAtMs: opened.endedAtMs }, remembrance);
      return { kind: 'ArchiveWritten', atMs: this.#now() };
    }
    if (pending === undefined) return { kind: 'ArchiveCutShort', atMs: this.#now(), reason: OTHER_DECIDERS };
    return this.#ask(pending, opened);
  }

  async #ask(
    { callId, step, request }: ArchiveEventOf<'ArchiveAsked'>,
    { model, waitMs }: ArchiveState['opened'],
  ): Promise<ArchiveEventOf<'ArchiveAnswered'>> {
    const { clock, oversight, archivist } = this.#parts;
    const startMs = clock.monotonicMs();
    const refusal = oversight.refusal(callId);
    const asked = askModel(this.#parts, request, callId, {
      signal: this.#stop.signal,
      timeoutMs: waitMs ?? archivist?.wait.firstMs ?? 0,
      refusal,
      fallback: model?.fallback,
    });
    const reply = await Promise.race([asked, this.#stopped]);
    const answer = step === 'Reflect' ? textIn(reply) : await this.#formOf(reply);
    return {
      kind: 'ArchiveAnswered',
      atMs: this.#now(),
      callId,
      ...answer,
      ...askedFor(this.#parts, { startMs, refusal, replies: [reply] }),
    };
  }

  async #formOf(reply: Reply): Promise<Answer> {
    const answer = textIn(reply);
    if (answer.text === undefined) return answer;
    const parsed = await this.#parts.parseStructured('Reflection', answer.text, curateQuestion);
    return parsed.ok ? { ...answer, value: parsed.value } : { ...answer, faults: parsed.error };
  }

  #lost(callId: string): ArchiveEventOf<'ArchiveAnswered'> {
    return { kind: 'ArchiveAnswered', atMs: this.#now(), callId, isLost: true, latencyMs: 0 };
  }

  /** The next start tries it again. */
  #leave(runId: string, error: unknown): void {
    this.#open.delete(runId);
    if (this.#isStopped) return;
    if (this.#parts.journal.mode !== 'Writable') return this.#parts.onFault(error);
    const { name } = error instanceof Error ? error : { name: 'an error' };
    this.#parts.onNotice?.(
      `run ${runId} could not be archived, because the program failed with ${name}: the next start tries again`,
    );
  }

  #now(): number {
    return this.#parts.clock.nowMs();
  }
}

function asked(
  state: RunState,
  { model, wait }: ArchivistSettings,
): Pick<ArchiveEventOf<'ArchiveOpened'>, 'model' | 'waitMs'> {
  return { model, waitMs: archivistWaitMs(state, model, wait) };
}

type Answer = Pick<ArchiveEventOf<'ArchiveAnswered'>, 'text' | 'reason' | 'value' | 'faults'>;

function textIn(reply: Reply): Answer {
  if (reply.answer === undefined) return { reason: reply.reason };
  if (reply.answer.stop === 'Refusal') return { reason: 'the model declined to answer' };
  const text = textOf(reply)?.trim() ?? '';
  return text === '' ? { reason: 'the answer was empty' } : { text };
}
