/**
 * Decides every recorded cycle again, record by record, with the gate of the recorded character, and reports each cycle's first
 * difference from the record.
 *
 * I1  Only cycles without an end are kept, at most {@link OPEN_CYCLES_MAX}.
 * I2  A finding contains ids, rules and digests, never a text of the record.
 * I3  A difference under another version of the rules is reported and counted, but is no mismatch. The version that the record
 *     names is trusted for records from before the watch began, and only as long as it does not decrease.
 *
 * Source: design 5.
 */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { cycleKinds, type CycleEvent } from '@retainer/mind/cycle/event';
import { GATE_RULES_VERSION } from '@retainer/mind/gate/rules-version';
import type { JournalReader } from '@retainer/journal/journal';
import type { RuledRecord } from '../audit/verdict-audit.ts';
import { asToday } from './as-today.ts';
import {
  byDigest,
  cycleDecider,
  shownDigest,
  shownId,
  trustedConfig,
  type ConfiguredPayload,
} from './recorded-config.ts';
import { missingPart, readablePayload } from './run-records.ts';
import { firstDifference } from '@retainer/mind/replay/first-difference';
import { CycleReview, type ReviewedEvent, type ReviewFault } from '@retainer/mind/replay/review-cycle';

export interface VerdictFinding {
  readonly kind: ReviewFault['kind'] | 'CannotRecompute' | 'ForeignCharacter' | 'OtherRules';
  readonly store: string;
  readonly seq: number;
  readonly detail: string;
}

/** Far more than an agent works on at once. A record with more open cycles must not fill the memory. */
const OPEN_CYCLES_MAX = 256;

interface Configuration {
  readonly seq: number;
  readonly fromOrder: number;
  readonly digest: string;
  /** Undefined: the configuration is unusable, which was reported at its record. */
  readonly config: CycleConfig | undefined;
  /** Version of the gates' rules, and number of the deciders; 0 when the record does not name it. */
  readonly rules: number;
  readonly deciders: number;
  /** A program with other rules wrote it, as far as the record can be trusted. */
  readonly hasOtherRules: boolean;
  /** A difference under this configuration was already reported. */
  isOtherTold: boolean;
  /** The character is a given one, or its finding was already reported. */
  isKnown: boolean;
}

interface OpenCycle {
  readonly fromSeq: number;
  /** Undefined: a finding about this cycle was reported, and no further ones follow. */
  review: CycleReview | undefined;
  /** It is among those that other rules decided otherwise. */
  isOtherwise?: true;
}

export class VerdictCheck {
  readonly #characters: ReadonlyMap<string, CharacterSpec>;
  readonly #configurations: Configuration[] = [];
  /** In the order in which they began. */
  readonly #cycles = new Map<string, OpenCycle>();
  #hasLost = false;
  #hasToldUnconfigured = false;
  #closedVerdicts = 0;
  /** Cycles of other rules whose decisions differ now. */
  otherRulesCycles = 0;

  /**
   * @param characters  from outside the record: for configurations that do not hold theirs any more, and, where there are any,
   *                    the only ones under which the agent may decide while it is watched
   */
  constructor(characters: readonly CharacterSpec[] = []) {
    this.#characters = byDigest(characters);
  }

  get verdicts(): number {
    let sum = this.#closedVerdicts;
    for (const { review } of this.#cycles.values()) sum += review?.verdicts ?? 0;
    return sum;
  }

  /** The first sequence, in the store `cycle`, of the oldest open cycle: a later check begins there. */
  get openFromSeq(): number | undefined {
    const [oldest] = this.#cycles.values();
    return oldest?.fromSeq;
  }

  /**
   * Takes the next record of its store. Records of the store `agent` come before each later record of `cycle`.
   *
   * @returns the findings of this record
   */
  take(record: RuledRecord): readonly VerdictFinding[] {
    const { store, kind, order, cycleId } = record;
    if (store === 'agent' && kind === 'Gap') this.#loseConfiguration(record);
    if (store === 'agent') return found(kind === 'Configured' ? this.#configure(record) : undefined);
    if (store !== 'cycle') return [];
    if (kind === 'Gap') this.forget();
    if (cycleId === undefined) return [];
    const configuration = this.#configurations.findLast((it) => it.fromOrder <= order);
    return [...found(this.#foreign(record, configuration)), ...found(this.#takeCycle(record, cycleId, configuration))];
  }

  /** Records are missing, which was reported elsewhere: open cycles cannot be followed any more. */
  forget(): void {
    this.#hasLost = true;
    for (const cycle of this.#cycles.values()) this.#close(cycle);
  }

  /** A part of it is given up, which was reported elsewhere: its cycle cannot be followed any more. */
  leave({ cycleId, seq }: Pick<RuledRecord, 'cycleId' | 'seq'>): void {
    if (cycleId === undefined) return;
    const cycle = this.#cycles.get(cycleId) ?? { fromSeq: seq, review: undefined };
    this.#close(cycle);
    this.#cycles.set(cycleId, cycle);
  }

  /** What a repair gave up may be the configuration of all that follows; the gap itself is told elsewhere. None is given up in the watch. */
  #loseConfiguration({ seq, order: fromOrder, isLive }: RuledRecord): void {
    if (isLive) return;
    const nothing = { digest: '', config: undefined, rules: 0, deciders: 0, hasOtherRules: false };
    this.#configurations.push({ ...nothing, seq, fromOrder, isOtherTold: true, isKnown: true });
  }

  #configure(record: RuledRecord): VerdictFinding | undefined {
    const { store, seq, order } = record;
    const payload = asToday(record) as Partial<ConfiguredPayload>;
    const { characterDigest: digest = '', gateRules: rules = 0, deciders = 0 } = payload;
    const config = trustedConfig(payload as ConfiguredPayload, this.#characters);
    const isKnown = this.#characters.size === 0 || this.#characters.has(digest);
    this.#configurations.push({
      seq,
      fromOrder: order,
      digest,
      config: config.ok ? config.value : undefined,
      rules,
      deciders,
      // A decreasing version counts as false: no program with the present rules lets older rules judge its record.
      hasOtherRules:
        (rules !== GATE_RULES_VERSION || deciders !== DECIDERS) &&
        this.#configurations.every((it) => it.rules <= rules && it.deciders <= deciders),
      isOtherTold: false,
      isKnown,
    });
    if (config.ok) return undefined;
    const detail = `${config.error}, so no verdict under it can be recomputed`;
    return { kind: 'CannotRecompute', store, seq, detail };
  }

  /** Once for each configuration, with the first decision under it. */
  #foreign({ isLive }: RuledRecord, configuration: Configuration | undefined): VerdictFinding | undefined {
    if (!isLive || configuration === undefined || configuration.isKnown) return undefined;
    configuration.isKnown = true;
    const { seq, digest } = configuration;
    return { kind: 'ForeignCharacter', store: 'agent', seq, detail: `it decides under ${shownDigest(digest)}` };
  }

  #takeCycle(
    record: RuledRecord,
    cycleId: string,
    configuration: Configuration | undefined,
  ): VerdictFinding | undefined {
    const cycle = this.#cycles.get(cycleId) ?? this.#begin(record, cycleId);
    const finding = this.#review(record, cycle, configuration);
    // A decision under an unusable configuration leads to an unknown state.
    const isLost = (finding !== undefined && finding.kind !== 'OtherRules') || configuration?.config === undefined;
    if (isLost || record.kind === 'CycleEnded') this.#close(cycle);
    if (record.kind === 'CycleEnded') this.#cycles.delete(cycleId);
    return finding;
  }

  #begin({ kind, seq }: RuledRecord, cycleId: string): OpenCycle {
    const isKnown = kind === 'CycleStarted' || !this.#hasLost;
    const cycle = { fromSeq: seq, review: isKnown ? new CycleReview() : undefined };
    this.#cycles.set(cycleId, cycle);
    forgetOldest(this.#cycles, OPEN_CYCLES_MAX);
    return cycle;
  }

  #review(record: RuledRecord, cycle: OpenCycle, configuration: Configuration | undefined): VerdictFinding | undefined {
    const { fromSeq, review } = cycle;
    if (review === undefined) return undefined;
    if (configuration === undefined) return this.#unconfigured(record);
    if (!isUsable(configuration)) return undefined;
    if (fromSeq === record.seq && record.kind !== 'CycleStarted')
      return cannot(record, 'the start of its cycle is not in the record');
    const event = eventIn(record);
    if (event === undefined) return cannot(record, 'it does not fit the schema of its kind');
    try {
      const fault = this.#decide({ ...record, event }, review, configuration);
      if (fault === undefined) return undefined;
      return fault.isOwn ? this.#told(fault, configuration) : this.#otherwise(fault, cycle);
    } catch {
      return cannot(record, 'the records before it lead to no decision');
    }
  }

  /** During the watch nothing explains a difference: agent and auditor are one program then. */
  #decide(
    { event, store, seq, order, epoch, isLive }: RuledRecord & { readonly event: CycleEvent },
    review: CycleReview,
    { config, hasOtherRules }: Configuration & { readonly config: CycleConfig },
  ): ReviewFault | undefined {
    const isOwn = isLive || !hasOtherRules;
    return (
      review.take({ event, store, seq, order, epoch }, cycleDecider(config), isOwn) ??
      (event.kind === 'CycleEnded' ? review.close(epoch) : undefined)
    );
  }

  /** Other rules explain a difference: counted for each cycle, and told once for the newest such configuration. */
  #otherwise(fault: ReviewFault, cycle: OpenCycle): VerdictFinding | undefined {
    if (cycle.isOtherwise !== true) this.otherRulesCycles += 1;
    cycle.isOtherwise = true;
    const by = this.#configurations.findLast((it) => it.hasOtherRules);
    if (by === undefined || by.isOtherTold) return undefined;
    by.isOtherTold = true;
    const versions = `rules ${by.rules} and deciders ${by.deciders}, this program has ${GATE_RULES_VERSION} and ${DECIDERS}`;
    return { kind: 'OtherRules', store: 'cycle', seq: fault.seq, detail: `${versions}; first ${faultDetail(fault)}` };
  }

  /** Reported once: it holds for all records until there is a configuration. */
  #unconfigured(record: RuledRecord): VerdictFinding | undefined {
    if (this.#hasToldUnconfigured) return undefined;
    this.#hasToldUnconfigured = true;
    return cannot(record, 'no configuration of the agent precedes it');
  }

  #told(fault: ReviewFault, { digest }: Configuration): VerdictFinding {
    const named = fault.recorded?.kind === 'GateDecided' ? fault.recorded.characterDigest : digest;
    const { seq, kind } = fault;
    if (this.#configurations.every((it) => it.digest !== named)) {
      const detail = `the verdict names a character of digest ${shownDigest(named)}, which the agent was never configured with`;
      return { kind: 'CannotRecompute', store: 'cycle', seq, detail };
    }
    return { kind, store: 'cycle', seq, detail: faultDetail(fault) };
  }

  #close(cycle: OpenCycle): void {
    this.#closedVerdicts += cycle.review?.verdicts ?? 0;
    cycle.review = undefined;
  }
}

export interface CheckedVerdicts {
  readonly verdicts: number;
  /** The first of each cycle, oldest first. */
  readonly findings: readonly VerdictFinding[];
  /** The first for each configuration, oldest first. These are not faults of the record. */
  readonly otherRules: readonly VerdictFinding[];
  readonly otherRulesCycles: number;
}

/** Every verdict of a record, or of a copy of one. */
export async function checkVerdicts(reader: JournalReader): Promise<CheckedVerdicts> {
  const check = new VerdictCheck();
  const findings: VerdictFinding[] = [];
  for await (const record of reader.readAll(['agent', 'cycle'])) {
    const { store, seq, order, epoch, kind, version, cycleId } = record;
    const payload = readablePayload(record);
    if (missingPart(record)?.isGivenUp === true) check.leave({ cycleId, seq });
    findings.push(...check.take({ store, seq, order, epoch, kind, version, cycleId, payload, isLive: false }));
  }
  const isOther = ({ kind }: VerdictFinding): boolean => kind === 'OtherRules';
  return {
    verdicts: check.verdicts,
    findings: findings.filter((it) => !isOther(it)),
    otherRules: findings.filter(isOther),
    otherRulesCycles: check.otherRulesCycles,
  };
}

function found(finding: VerdictFinding | undefined): readonly VerdictFinding[] {
  return finding === undefined ? [] : [finding];
}

function isUsable(configuration: Configuration): configuration is Configuration & { readonly config: CycleConfig } {
  return configuration.config !== undefined;
}

function eventIn(record: RuledRecord): CycleEvent | undefined {
  const { kind } = record;
  const payload = asToday(record);
  const schema = Object.hasOwn(cycleKinds, kind) ? cycleKinds[kind as keyof typeof cycleKinds] : undefined;
  if (schema?.safeParse(payload).success !== true) return undefined;
  return { kind, ...(payload as object) } as CycleEvent;
}

function cannot({ store, seq }: RuledRecord, detail: string): VerdictFinding {
  return { kind: 'CannotRecompute', store, seq, detail };
}

function faultDetail({ recorded, decided }: ReviewFault): string {
  const subject = recorded ?? decided;
  if (subject === undefined) return 'nothing';
  const sides = [answerOf(recorded), answerOf(decided)] as const;
  if (sides[0] !== sides[1]) return `${nameOf(subject)}: recorded ${sides[0]}, recomputed ${sides[1]}`;
  const [member = ''] = (firstDifference(recorded, decided)?.path ?? '').split(/[.[]/);
  return `${nameOf(subject)}: recorded and recomputed ${sides[0]}, with another ${shownId(member)}`;
}

function nameOf(event: ReviewedEvent): string {
  switch (event.kind) {
    case 'GateDecided':
      return event.callId === undefined ? `gate ${event.gate}` : `gate ${event.gate}, call ${shownId(event.callId)}`;
    case 'ToolRequested':
      return `call ${shownId(event.callId)}`;
    case 'CycleEnded':
      return 'end of the cycle';
  }
}

function answerOf(event: ReviewedEvent | undefined): string {
  if (event === undefined) return 'nothing';
  switch (event.kind) {
    case 'GateDecided':
      return `${event.verdict} by ${shownId(event.rule)}`;
    case 'ToolRequested':
      return `arguments ${shownDigest(event.argumentsDigest)}`;
    case 'CycleEnded':
      return event.outcome;
  }
}
