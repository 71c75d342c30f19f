/**
 * A world that outlives the agent: what tools changed and what was delivered, counted where it arrives.
 *
 * A run is played once to its end. Then, for any prefix of its record, the world is put back to what it can have been at that
 * moment, and a new agent goes on from the prefix.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Journal, JournalRecord } from '@retainer/journal/journal';
import type { ArchivistSettings } from '@retainer/agent-pod/loop/archive-driver';
import type { OpenMeaning } from '@retainer/agent-pod/ports/meaning';
import { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import type { ToolExecutor, ToolMemory } from '@retainer/agent-pod/loop/tool-executor';
import type { Delivery, DeliveryPort, ModelPort } from '@retainer/agent-pod/ports/ports';
import type { CostUsd } from '@retainer/agent-pod/loop/spending';
import type { OversightSettings } from '@retainer/agent-pod/loop/oversight';
import type { SelfSettings } from '@retainer/agent-pod/loop/self-keeper';
import type { ProjectionCache } from '@retainer/agent-pod/loop/projection-cache';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { Clock } from '@retainer/contract/std/clock';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { CharacterInForce } from '@retainer/agent-pod/loop/character-in-force';
import type { Publisher } from '@retainer/agent-pod/bus/bus';
import { parseStructured } from '@retainer/agent-pod/infer/structured';
import type { BudgetCaps } from '@retainer/mind/gate/budget/budget';
import type { DeniedBefore } from '@retainer/mind/gate/verdict';
import type { Gate } from '@retainer/mind/gate/gate';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { ASK_PERSON } from '@retainer/mind/gate/person-question';
import type { Command } from '@retainer/mind/run/inbox';
import type { Permit } from '@retainer/agent-pod/ports/tool';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import type { Standing } from '@retainer/mind/gate/standing';
import { config } from './cycles.ts';
import { manualClock } from './manual-clock.ts';
import type { MemoryJournal } from './memory-journal.ts';
import { bySize } from './test-size.ts';

/** What a crash may have left of an effect whose intent is on record and whose result is not. */
export type Ambiguity = 'NotDone' | 'DoneAndKnown' | 'DoneAndUnknown';

export class World implements ToolExecutor, DeliveryPort, Publisher {
  /** Times each call took effect, by call id. */
  readonly effects = new Map<string, number>();
  readonly deliveries: Delivery[] = [];
  /** By those who listen outside of the process, in the order in which they were told. */
  readonly heard: BusMessage[] = [];
  /** Of a character that was changed meanwhile; absent for that of `cycles.ts`. */
  characterDigest: string | undefined;
  /** What becomes of runs of an earlier character; absent: they end. */
  character: CharacterInForce | undefined;
  /** Another gate than that of `cycles.ts`. */
  gate: Gate | undefined;
  /** Whom the Archivist asks; undefined: nobody. */
  archivist: ArchivistSettings | undefined;
  /** Of what its calls say; undefined: as the table of labels has it. */
  label: Label | undefined;
  /** From the last record to the start of the process. */
  downMs = 0;
  /** Digest of what stands where calls write. */
  standsThere: string | undefined;
  /** Outcomes that a later process can look up. */
  readonly known = new Map<string, ToolOutcome>();

  execute(permit: Permit): Promise<ToolOutcome> {
    this.effects.set(permit.callId, (this.effects.get(permit.callId) ?? 0) + 1);
    const outcome = { ...outcomeOf(permit), ...(this.label === undefined ? {} : { label: this.label }) };
    this.known.set(permit.callId, outcome);
    return Promise.resolve(outcome);
  }

  lookup(permit: Permit): Promise<ToolOutcome | undefined> {
    return Promise.resolve(this.known.get(permit.callId));
  }

  replaces(): Promise<boolean> {
    return Promise.resolve(false);
  }

  standing(): Promise<Standing | undefined> {
    return Promise.resolve(this.standsThere === undefined ? undefined : { sha256: this.standsThere });
  }

  deniedBefore(): DeniedBefore {
    return {};
  }

  asks(): string | undefined {
    return undefined;
  }

  deliver(delivery: Delivery): Promise<void> {
    this.deliveries.push(delivery);
    return Promise.resolve();
  }

  publish(message: BusMessage): Promise<void> {
    this.heard.push(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  isDelivered({ deliveryId }: Delivery): Promise<boolean> {
    return Promise.resolve(this.deliveries.some((it) => it.deliveryId === deliveryId));
  }
}

/** A long text says the same so often. */
const LONG_TIMES = 500;

/** Deterministic: the same arguments give the same text. `fail` in them gives an error, `long` a long text. */
function outcomeOf(permit: Permit): ToolOutcome {
  const said = JSON.stringify(permit.input);
  const isError = said.includes('fail');
  const value = `value ${sha256Hex(said).slice(0, 4)}`;
  const text = isError ? 'error: no such column' : said.includes('long') ? `${value} `.repeat(LONG_TIMES) : value;
  return {
    status: isError ? 'Error' : 'Ok',
    text,
    outputBytes: text.length,
    outputSha256: sha256Hex(text),
    files: [],
    durationMs: 1,
  };
}

/** The world as a crash after `records` may have left it, given how it was at the end. */
export function worldAt(records: readonly JournalRecord[], end: World, ambiguity: Ambiguity): World {
  const world = new World();
  world.archivist = end.archivist;
  const ids = (kind: string, field: string): readonly string[] =>
    records.flatMap((it) => (it.kind === kind ? [(it.payload as Record<string, string>)[field] ?? ''] : []));
  const finished = ids('ToolFinished', 'callId');
  for (const callId of ids('ToolRequested', 'callId')) {
    const isDone = finished.includes(callId) || ambiguity !== 'NotDone';
    if (isDone) world.effects.set(callId, 1);
    const outcome = end.known.get(callId);
    if (isDone && ambiguity !== 'DoneAndUnknown' && outcome !== undefined) world.known.set(callId, outcome);
  }
  const confirmed = ids('Delivered', 'deliveryId');
  for (const deliveryId of ids('DeliveryRequested', 'deliveryId')) {
    const delivery = end.deliveries.find((it) => it.deliveryId === deliveryId);
    const isDone = confirmed.includes(deliveryId) || ambiguity !== 'NotDone';
    if (isDone && delivery !== undefined) world.deliveries.push(delivery);
  }
  return world;
}

/** Of `quick`: every record but those between, so that each kind of crash is met in one run or another. */
const QUICK_STRIDE = 9;

/** Numbers of records after which a crash is tried: all of them from `from`, and in `quick` every ninth and the last. */
export function crashPoints(records: readonly JournalRecord[], from = 0): readonly number[] {
  const stride = bySize({ quick: QUICK_STRIDE, check: 1 });
  const all = Array.from({ length: records.length + 1 - from }, (_, index) => from + index);
  return all.filter((length) => (length - from) % stride === 0 || length === records.length);
}

/** What each question is answered with. */
export const ANSWER = 'the right column';

/** Approves whatever asks for it, and answers each question, as a person would. */
export function wordFor({
  kind,
  runId = '',
  payload,
}: JournalRecord): Extract<Command, { type: 'DecideApproval' | 'AnswerQuestion' }> | undefined {
  if (kind !== 'ApprovalRequested') return undefined;
  const { requestId, argumentsDigest, tool } = payload as Record<string, string>;
  if (requestId === undefined || argumentsDigest === undefined) return undefined;
  if (tool === ASK_PERSON) return { type: 'AnswerQuestion', runId, questionId: requestId, text: ANSWER, by: 'ann' };
  return { type: 'DecideApproval', requestId, argumentsDigest, decision: 'Approve', by: 'ann', reason: 'fine' };
}

/** A budget of 0 is no limit. */
export const unlimited: BudgetCaps = {
  ...{ tokensPerHour: 0, tokensPerDay: 0, costUsdPerDay: 0, toolCallsPerDay: 0 },
  ...{ schedulerCyclesPerHour: 1_000_000, schedulerTokensPerHour: 0 },
};

/** No budget, and nobody who watches the gates. */
export const unobserved: OversightSettings = {
  budgets: unlimited,
  observer: {
    enabled: false,
    window: 50,
    cyclesPerMinute: 30,
    tightenFactor: 0.85,
    factorMin: 0.2,
    halfLifeMs: 21_600_000,
    cooldownMs: 5000,
  },
};

export type Arrival = { readonly originId: string; readonly command: Command };

export interface Played extends SelfSettings {
  readonly journal: Journal;
  readonly world: World;
  readonly model: ModelPort;
  readonly onFault?: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
  readonly clock?: Clock;
  /** The world where absent. */
  readonly bus?: Publisher;
  /** No limit, nothing observed where absent. */
  readonly oversight?: Partial<OversightSettings>;
  /** Another gate than that of `cycles.ts`, with the same digest. */
  readonly gate?: Gate;
  /** None where absent. */
  readonly cache?: ProjectionCache;
  /** Of the program. */
  readonly version?: string;
  /** Intents are compared by words where absent. */
  readonly meaning?: OpenMeaning;
  /** The Archivist asks no model where absent. */
  readonly archivist?: ArchivistSettings;
  /** Nothing costs anything where absent. */
  readonly costUsd?: CostUsd;
  /** The world where absent. */
  readonly makeExecutor?: (memory: ToolMemory) => ToolExecutor;
}

/** A runtime on a journal and a world, with the pure gate and catalog of `cycles.ts`. */
export function makeRuntime({
  journal,
  world,
  model,
  onFault,
  onNotice,
  bus = world,
  oversight,
  cache,
  clock = systemClock,
  gate = config.gate,
  version = '1.0.0',
  costUsd = () => 0,
  meaning,
  ...self
}: Played): AgentRuntime {
  const { characterDigest = gate.characterDigest } = world;
  return new AgentRuntime({
    journal,
    model,
    oversight: { ...unobserved, ...oversight },
    config: { ...config, gate: { ...gate, characterDigest } },
    delivery: world,
    clock,
    redact: (text) => text,
    holdsSecret: () => false,
    drawNonce: () => 'a1'.repeat(16),
    lookAround: () => Promise.resolve({ files: [], isWhole: false }),
    costUsd,
    parseStructured,
    bus,
    version,
    makeExecutor: () => world,
    ...self,
    ...(world.character === undefined ? {} : { character: world.character }),
    onFault:
      onFault ??
      ((error) => {
        throw error;
      }),
    ...(onNotice === undefined ? {} : { onNotice }),
    ...(cache === undefined ? {} : { cache }),
    ...(meaning === undefined ? {} : { meaning }),
  });
}

/** Ticks without a new record after which nothing is taken to be under way: then time passes. */
const IDLE_TICKS = 20;

/** Pauses up to this long are skipped, milliseconds. Limits of runs and cycles are longer: they never pass while a machine is slow. */
const SKIPPED_MS_MAX = 30_000;

/**
 * Plays commands on a journal until the run is closed and every cycle has ended. Time stands still while anything is under way,
 * and then goes on to what is waited for next, so that a pause of any length takes none.
 *
 * @throws when the runtime reports a fault, which is the cause
 */
export async function play(
  journal: MemoryJournal,
  world: World,
  model: ModelPort,
  arrivals: readonly Arrival[],
): Promise<void> {
  let fault: unknown;
  const lastMs = Math.max(Date.UTC(2030, 0, 1), ...journal.records.map(momentOf));
  const clock = manualClock(lastMs + world.downMs);
  const runtime = makeRuntime({
    journal,
    world,
    model,
    ...(world.gate === undefined ? {} : { gate: world.gate }),
    ...(world.archivist === undefined ? {} : { archivist: world.archivist }),
    clock,
    onFault: (error) => {
      fault ??= error;
    },
  });
  await runtime.start();
  for (const { originId, command } of arrivals) await runtime.accept(originId, 'test', command);
  while (!isFinished(journal) && fault === undefined) {
    // Approvals are looked for again and again, as a person would look at the list; the origin id takes each once.
    for (const record of [...journal.records]) {
      const word = wordFor(record);
      if (word === undefined) continue;
      const id = word.type === 'AnswerQuestion' ? word.questionId : word.requestId;
      await runtime.accept(`approve:${id}`, 'test', word);
    }
    await settled(journal);
    const pauseMs = clock.nextInMs() ?? 0;
    if (pauseMs <= SKIPPED_MS_MAX) clock.advance(pauseMs);
  }
  await runtime.stop();
  if (fault !== undefined) throw new Error('the runtime cannot go on', { cause: fault });
}

function momentOf({ payload }: JournalRecord): number {
  return (payload as { readonly atMs?: number }).atMs ?? 0;
}

async function settled(journal: MemoryJournal): Promise<void> {
  for (let ticks = 0, length = -1; ticks < IDLE_TICKS; ticks += 1) {
    if (journal.records.length !== length) ticks = 0;
    ({ length } = journal.records);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function isFinished(journal: MemoryJournal): boolean {
  const aside = journal.records.find((it) => it.kind === 'RunSetAside');
  if (aside !== undefined) throw new Error(`a run was set aside: ${JSON.stringify(aside.payload)}`);
  const count = (kind: string): number => journal.records.filter((it) => it.kind === kind).length;
  const isClosed = count('RunClosed') > 0 && count('CommandAccepted') === count('CommandDone');
  const isArchived = count('ArchiveOpened') === count('ArchiveClosed');
  return isClosed && isArchived && count('CycleStarted') === count('CycleEnded');
}
