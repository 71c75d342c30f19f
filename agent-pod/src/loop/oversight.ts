/**
 * Rules across all cycles of the agent: its budgets, and the findings of the gates' observer. It sees each event of a
 * cycle when the event is durable and before its effect begins. Each start folds it from the record.
 */
import { z } from 'zod';
import { archiveKinds, type ArchiveEvent } from '@retainer/mind/archive/event';
import { isTold } from '@retainer/mind/assemble/curator/curate';
import { cycleKinds, type CycleEvent, type CycleSpec } from '@retainer/mind/cycle/event';
import { dreamKinds, type DreamEvent } from '@retainer/mind/archive/dream-event';
import { isOfPerson } from '@retainer/mind/gate/approval';
import type { BudgetCaps, BudgetLevel, OwnTimeWait, Spending } from '@retainer/mind/gate/budget/budget';
import { Ledger, LEDGER_LOOKBACK_MS, LedgerState } from '@retainer/mind/gate/budget/ledger';
import {
  CHOICE_LOOKBACK_MS,
  ChoiceLedger,
  type ChoiceSpent,
  choiceKinds,
} from '@retainer/mind/parts/choices/choice-ledger';
import type { ObserverSettings } from '@retainer/mind/gate/meta/observation';
import { Overruled, OverruledState, refusalOf } from '@retainer/mind/gate/meta/overruled';
import { OVERRIDE_GRANTED } from '@retainer/mind/gate/override';
import { verdictPatterns } from '@retainer/mind/gate/meta/verdict-patterns';
import { Observer, OBSERVED_MS, ObserverState, type Finding } from '@retainer/mind/gate/meta/observer';
import { PROBES_DEGRADED_AFTER, unansweredInRow } from '@retainer/mind/gate/score/probe';
import { OUTPUT_REJECTIONS_MAX, rejectionsInRow } from '@retainer/mind/gate/output-breaker';
import { defineProjection, eventOf, everyKind, type Projection, type Recorded } from '@retainer/mind/part/projection';
import type { Contribution, Contributor } from './cycle-start.ts';
import { OutputHold } from './output-hold.ts';
import { nothingSeen, probesIn, wasAsked, withEvent, type Seen } from './oversight-seen.ts';
import { recordedRefusal, type RecordedRefusal } from './refusal-text.ts';
import type { GateChange } from '@retainer/mind/parts/interventions/part';
import { reportKinds } from '@retainer/mind/parts/false-positives/reports';
import { archiveSpendingOf, dreamSpendingOf, spendingOf, type CostUsd } from './spending.ts';

export interface OversightSettings {
  readonly budgets: BudgetCaps;
  readonly observer: ObserverSettings;
}

/** The whole state while no cycle is under way, for a cache. */
export const OversightState = z.object({
  ledger: LedgerState,
  observer: ObserverState,
  overruled: OverruledState,
  rejectionsInRow: z.number(),
  probesUnansweredInRow: z.number(),
  atMs: z.number(),
});
export type OversightState = z.infer<typeof OversightState>;

/** Of what a cache keeps of it. */
const CACHE_VERSION = 6;

export interface GateHealth {
  readonly outputRejectionsInRow: number;
  /** Texts in a row that no probe answered. */
  readonly probesUnansweredInRow: number;
}

/** @param notice  the same, for people */
type OnGateChange = (change: GateChange, notice: string) => void;

export class Oversight implements Contributor {
  readonly #ledger: Ledger;
  readonly #observer: Observer;
  readonly #costUsd: CostUsd;
  readonly #onFinding: (finding: Finding) => void;
  readonly #onChange: OnGateChange;
  /** Observations of the cycles under way. */
  readonly #seen = new Map<string, Seen>();
  readonly #overruled = new Overruled();
  readonly #choices = new ChoiceLedger();
  /** What the Archivist and the Dreamer spent, folded and not entered yet; oldest first. */
  readonly #unsettled: Spending[] = [];
  readonly #overrides = new Map<string, NonNullable<CycleSpec['override']>>();
  readonly #hold = new OutputHold();
  /** Rejected outgoing texts in a row. */
  #rejectionsInRow = 0;
  #probesUnansweredInRow = 0;
  /** Time of the newest input. Decisions carry no time of their own. */
  #atMs = 0;

  /**
   * @param onFinding  called once in this process for each finding with an intervention
   * @param onChange  called when the agent begins to hold outgoing texts, and when probes stop or resume to answer
   */
  constructor(
    settings: OversightSettings,
    costUsd: CostUsd,
    onFinding: (finding: Finding) => void,
    onChange: OnGateChange = () => undefined,
  ) {
    this.#ledger = new Ledger(settings.budgets);
    this.#observer = new Observer(settings.observer);
    this.#costUsd = costUsd;
    this.#onFinding = onFinding;
    this.#onChange = onChange;
  }

  /** The state for a cache. Read it while no cycle is under way. */
  get state(): OversightState {
    this.#settle(Infinity);
    return {
      ledger: this.#ledger.state,
      observer: this.#observer.state,
      overruled: this.#overruled.state,
      rejectionsInRow: this.#rejectionsInRow,
      probesUnansweredInRow: this.#probesUnansweredInRow,
      atMs: this.#atMs,
    };
  }

  /** Folds the part of the record that still counts, before `take` is called. */
  readonly projection: Projection<Oversight> = defineProjection({
    store: 'cycle',
    kinds: cycleKinds,
    start: () => this,
    folds: everyKind(cycleKinds, (oversight: Oversight, _payload, record) => oversight.#fold(record)),
    window: { lastMs: Math.max(LEDGER_LOOKBACK_MS, OBSERVED_MS) },
    cached: {
      version: CACHE_VERSION,
      schema: OversightState,
      keep: (oversight) => oversight.state,
      restore: (oversight, state) => oversight.#restore(state),
    },
  });

  /** Folds what people called wrong. The refusals must be known, so it comes after `projection`. */
  readonly reports: Projection<Oversight> = defineProjection({
    store: 'agent',
    kinds: reportKinds,
    start: () => this,
    folds: {
      FalsePositiveReported: (oversight: Oversight, report) => oversight.#overruled.reported(report),
    },
    others: { because: 'nobody called a refusal wrong with it' },
    window: { lastMs: OBSERVED_MS },
    cached: { because: 'the cached refusals hold it, and to report one again changes nothing' },
  });

  /** Folds what choices of addresses told each site. */
  readonly choices: Projection<Oversight> = defineProjection({
    store: 'agent',
    kinds: choiceKinds,
    start: () => this,
    folds: {
      ChoiceSpent: (oversight: Oversight, spent, { timeMs }) => oversight.chose(spent, timeMs),
    },
    others: { because: 'it is no choice' },
    window: { lastMs: CHOICE_LOOKBACK_MS },
    cached: { because: 'few records hold it, and each start reads them' },
  });

  /** A choice of the record, or one whose call waits for its record to be durable. */
  chose(spent: Pick<ChoiceSpent, 'site' | 'bits'>, atMs: number): void {
    this.#choices.take(spent, atMs);
  }

  /** Bits by site within the last 30 days. */
  choicesSpent(nowMs: number): Readonly<Record<string, number>> {
    return this.#choices.spent(nowMs);
  }

  /**
   * Folds what the Archivist asked, also while the agent works: its records are projected as they are written. At a start its
   * store is read before `cycle`, so its entries wait for their time.
   */
  readonly archives: Projection<Oversight> = defineProjection({
    store: 'archive',
    kinds: archiveKinds,
    start: () => this,
    folds: everyKind(archiveKinds, (oversight: Oversight, _payload, record) => oversight.#foldArchive(record)),
    window: { lastMs: LEDGER_LOOKBACK_MS },
    cached: {
      // The cached ledger of `projection` holds it: the two are restored together, or folded together.
      version: CACHE_VERSION,
      schema: z.null(),
      keep: () => null,
      restore: () => undefined,
    },
  });

  /** Folds what the Dreamer asked, as `archives` does. */
  readonly dreams: Projection<Oversight> = defineProjection({
    store: 'dream',
    kinds: dreamKinds,
    start: () => this,
    folds: everyKind(dreamKinds, (oversight: Oversight, _payload, record) => oversight.#foldDream(record)),
    window: { lastMs: LEDGER_LOOKBACK_MS },
    cached: { version: CACHE_VERSION, schema: z.null(), keep: () => null, restore: () => undefined },
  });

  #foldArchive({ runId = '', timeMs, ...record }: Recorded): void {
    this.#spend(archiveSpendingOf(runId, eventOf<ArchiveEvent>(record), timeMs, this.#costUsd));
  }

  #foldDream({ timeMs, ...record }: Recorded): void {
    this.#spend(dreamSpendingOf(eventOf<DreamEvent>(record), timeMs, this.#costUsd));
  }

  /** In order of time: at a start, one store is read after the other. */
  #spend(spending: Spending | undefined): void {
    if (spending === undefined) return;
    const after = this.#unsettled.findLastIndex(({ atMs }) => atMs <= spending.atMs);
    this.#unsettled.splice(after + 1, 0, spending);
  }

  /** Enters what they spent until then. */
  #settle(untilMs: number): void {
    while ((this.#unsettled[0]?.atMs ?? Infinity) <= untilMs) {
      const [spending] = this.#unsettled.splice(0, 1);
      if (spending === undefined) return;
      this.#ledger.take(spending);
    }
  }

  /** Takes events of one cycle, in the order of the record. */
  take(cycleId: string, events: readonly CycleEvent[]): void {
    this.#settle(Infinity);
    const wereHeld = this.areOutputsHeld;
    const wereDegraded = this.areProbesDegraded;
    for (const event of events) {
      const finding = this.#take(cycleId, event);
      if (finding !== undefined && finding.intervention !== 'None') this.#onFinding(finding);
    }
    if (this.areOutputsHeld && !wereHeld)
      this.#onChange(
        'OutputsHeld',
        `${OUTPUT_REJECTIONS_MAX} outgoing texts in a row were rejected, the last of cycle ${cycleId}: texts now wait for a person`,
      );
    if (wereHeld && !this.areOutputsHeld)
      this.#onChange('OutputsReleased', `an outgoing text was accepted, of cycle ${cycleId}: texts pass again`);
    if (this.areProbesDegraded && !wereDegraded)
      this.#onChange(
        'ProbesDegraded',
        `the canary probes got no answer ${PROBES_DEGRADED_AFTER} times in a row: texts pass without them`,
      );
    if (wereDegraded && !this.areProbesDegraded)
      this.#onChange('ProbesAnswered', 'the canary probes get answers again');
  }

  /** What a start folds, by name and in order: see each of them. */
  get projections(): Readonly<Record<string, Projection<unknown>>> {
    const { projection, archives, dreams, reports, choices } = this;
    return { oversight: projection, archived: archives, dreamt: dreams, reports, choices, hold: this.#hold.projection };
  }

  /** Counts that need a person's attention; 0 when all is well. */
  get health(): GateHealth {
    return { outputRejectionsInRow: this.#rejectionsInRow, probesUnansweredInRow: this.#probesUnansweredInRow };
  }

  /** Patterns of the newest verdicts, see {@link verdictPatterns}. */
  get patterns(): ReturnType<typeof verdictPatterns> {
    return verdictPatterns(this.#observer.observations);
  }

  get areProbesDegraded(): boolean {
    return this.#probesUnansweredInRow >= PROBES_DEGRADED_AFTER;
  }

  /** Why a requested call may not be made, as it is recorded; undefined when it may. */
  refusal(callId: string): RecordedRefusal | undefined {
    this.#settle(Infinity);
    const refusal = this.#ledger.refusal(callId);
    return refusal === undefined ? undefined : recordedRefusal(refusal);
  }

  budgets(nowMs: number): readonly BudgetLevel[] {
    this.#settle(Infinity);
    return this.#ledger.levels(nowMs);
  }

  /** A cycle goes on whose start may be older than what is folded. */
  resumed({ cycleId, ownTime }: Pick<CycleSpec, 'cycleId' | 'ownTime'>, nowMs: number): void {
    this.#settle(Infinity);
    if (ownTime === true) this.#ledger.take({ kind: 'OwnCycleBegan', cycleId, atMs: nowMs });
  }

  /** See {@link Ledger.ownTimeWait}. */
  ownTimeWait(nowMs: number): OwnTimeWait | undefined {
    this.#settle(Infinity);
    return this.#ledger.ownTimeWait(nowMs);
  }

  /** The observer's tightened thresholds, and its caution to a model that works: who judges is told nothing of the agent. */
  atStart({ role }: Pick<CycleSpec, 'role'>, nowMs: number): Contribution {
    const { tightening, caution } = this.#observer.hold(nowMs);
    return {
      holds: {
        ...(tightening === undefined ? {} : { tightening }),
        ...(this.areOutputsHeld ? { outputsHeld: true as const } : {}),
      },
      ...(caution === undefined || !isTold(role) ? {} : { told: caution }),
    };
  }

  tightening(nowMs: number): number | undefined {
    return this.#observer.hold(nowMs).tightening;
  }

  /** Rejected texts are no longer revised, and a person has to look. This holds until a text is accepted. */
  get areOutputsHeld(): boolean {
    return this.#rejectionsInRow >= OUTPUT_REJECTIONS_MAX || this.#hold.stands;
  }

  /** A hold that a later start would not know of, because a crash came before its note. */
  get lacksHoldNote(): boolean {
    return this.#hold.lacksNote(this.areOutputsHeld);
  }

  /** No cycle begins before this moment, milliseconds since 1970; undefined when one may begin. */
  coolUntilMs(nowMs: number): number | undefined {
    return this.#observer.coolUntilMs(nowMs);
  }

  #fold(record: Recorded): void {
    if (this.#atMs === 0) this.#atMs = record.timeMs;
    this.#settle(record.timeMs);
    if (record.cycleId !== undefined) this.#take(record.cycleId, eventOf<CycleEvent>(record));
  }

  #restore({ ledger, observer, overruled, rejectionsInRow, probesUnansweredInRow, atMs }: OversightState): void {
    this.#ledger.restore(ledger);
    this.#observer.restore(observer);
    this.#overruled.restore(overruled);
    this.#rejectionsInRow = rejectionsInRow;
    this.#probesUnansweredInRow = probesUnansweredInRow;
    this.#atMs = atMs;
  }

  #take(cycleId: string, event: CycleEvent): Finding | undefined {
    if ('atMs' in event) this.#atMs = event.atMs;
    const spending = spendingOf(cycleId, event, this.#atMs, this.#costUsd);
    if (spending !== undefined) this.#ledger.take(spending);
    if (event.kind === 'CycleStarted' && event.spec.tightening !== undefined)
      this.#observer.adopt(event.spec.tightening, event.atMs);
    this.#noteRefusal(cycleId, event);
    if (event.kind === 'CycleStarted' && event.spec.outputsHeld === true)
      this.#rejectionsInRow = Math.max(this.#rejectionsInRow, OUTPUT_REJECTIONS_MAX);
    if (event.kind === 'GateDecided') this.#noteVerdict(event);
    if (event.kind === 'GateProbed' && wasAsked(event))
      this.#probesUnansweredInRow = unansweredInRow(this.#probesUnansweredInRow, probesIn(event));
    return this.#observe(cycleId, event);
  }

  #noteVerdict(verdict: Extract<CycleEvent, { kind: 'GateDecided' }>): void {
    this.#rejectionsInRow = rejectionsInRow(this.#rejectionsInRow, verdict);
    if (verdict.gate === 'Output' && verdict.verdict === 'Accept') this.#hold.accepted(this.#atMs);
  }

  #observe(cycleId: string, event: CycleEvent): Finding | undefined {
    const before = event.kind === 'CycleStarted' ? nothingSeen(event.spec.runId) : this.#seen.get(cycleId);
    // Its start is older than the part of the record that is read.
    if (before === undefined) return undefined;
    const { verdicts, ...seen } = withEvent(before, event);
    if (event.kind !== 'CycleEnded') {
      this.#seen.set(cycleId, { verdicts, ...seen });
      return undefined;
    }
    this.#seen.delete(cycleId);
    this.#overrides.delete(cycleId);
    const decisions = verdicts.map(({ decision }) => decision);
    const judged = verdicts.flatMap((it) => it.judged);
    return this.#observer.take({ cycleId, atMs: this.#atMs, ...seen, decisions, judged }, this.#overruled.wrong);
  }

  #noteRefusal(cycleId: string, event: CycleEvent): void {
    if (event.kind === 'CycleStarted' && event.spec.override !== undefined)
      this.#overrides.set(cycleId, event.spec.override);
    if (event.kind !== 'GateDecided' || isOfPerson(event.rule)) return;
    const override = this.#overrides.get(cycleId);
    if (event.rule === OVERRIDE_GRANTED && override !== undefined) this.#overruled.granted(override);
    const runId = this.#seen.get(cycleId)?.runId;
    if (event.verdict === 'Reject' && runId !== undefined)
      this.#overruled.refused({ runId, ...refusalOf(cycleId, event) });
  }
}
