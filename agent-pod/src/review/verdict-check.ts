/**
 * Decides every recorded cycle anew, record by record, with the gate of the character that was recorded, and tells of each cycle
 * the first thing that is not what the record says.
 *
 * I1  What is kept are the cycles that have not ended, at most {@link OPEN_CYCLES_MAX}.
 * I2  A finding holds ids, rules and digests: never a text of the record.
 * I3  What another version of the rules decided otherwise is told and counted, and no mismatch. The version that the record names is
 *     believed of what was recorded before anybody watched, and only as long as it does not go back.
 *
 * Source: design 5.
 */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { err, type Result } from '@retainer/contract/std/result';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import { cycleKinds, type CycleEvent } from '@retainer/mind/cycle/event';
import { GATE_RULES_VERSION } from '@retainer/mind/gate/rules-version';
import type { JournalReader } from '@retainer/journal/journal';
import { cycleDecider, recordedConfig, type ConfiguredPayload } from './recorded-config.ts';
import { firstDifference } from '@retainer/mind/replay/first-difference';
import { CycleReview, type ReviewedEvent, type ReviewFault } from '@retainer/mind/replay/review-cycle';

/** A record of the stores `agent` and `cycle`, as whoever reads the journal hands it over. */
export interface ReadRecord {
  readonly store: string;
  readonly seq: number;
  /** Over all stores: says which configuration a record was decided under. */
  readonly order: number;
  readonly epoch: number;
  readonly kind: string;
  readonly cycleId: string | undefined;
  /** Without the kind. */
  readonly payload: unknown;
  /** Written while it is read. */
  readonly isLive: boolean;
}

export interface VerdictFinding {
  readonly kind: ReviewFault['kind'] | 'CannotRecompute' | 'ForeignCharacter' | 'OtherRules';
  readonly store: string;
  readonly seq: number;
  readonly detail: string;
}

/** Far more than an agent works on at once; a record that begins more without an end is not allowed to fill the memory. */
const OPEN_CYCLES_MAX = 256;
/** Hexadecimal digits by which people tell one character from another. */
const DIGEST_DIGITS = 12;

interface Configuration {
  readonly seq: number;
  readonly fromOrder: number;
  readonly digest: string;
  /** Undefined: it cannot be used, which was told where it stands. */
  readonly config: CycleConfig | undefined;
  /** Version of the gates' rules; 0 where the record does not say it. */
  readonly rules: number;
  /** Written by a program of other rules, as far as the record can be believed about that. */
  readonly hasOtherRules: boolean;
  /** It was told that cycles under it are decided otherwise. */
  isOtherTold: boolean;
  /** It was told that nobody gave this character to the agent, or there is nothing to tell. */
  isKnown: boolean;
}

interface OpenCycle {
  readonly fromSeq: number;
  /** Undefined: something was told of the cycle, and nothing more is. */
  review: CycleReview | undefined;
  /** The newest configuration of other rules that it was decided under. */
  otherRules?: Configuration;
}

export class VerdictCheck {
  readonly #characters: ReadonlyMap<string, CharacterSpec>;
  readonly #configurations: Configuration[] = [];
  /** In the order in which they began. */
  readonly #cycles = new Map<string, OpenCycle>();
  #hasLost = false;
  #hasToldUnconfigured = false;
  #closedVerdicts = 0;
  /** Cycles recorded under other rules that are decided otherwise now. */
  otherRulesCycles = 0;

  /**
   * @param characters  from outside the record: for configurations that do not hold theirs any more, and, where there are any,
   *                    the only ones under which the agent may decide while it is watched
   */
  constructor(characters: readonly CharacterSpec[] = []) {
    this.#characters = new Map(characters.map((character) => [characterDigest(character.spec), character]));
  }

  /** Verdicts of gates that were found right. */
  get verdicts(): number {
    let sum = this.#closedVerdicts;
    for (const { review } of this.#cycles.values()) sum += review?.verdicts ?? 0;
    return sum;
  }

  /** Where the oldest cycle begins that has not ended, in the store `cycle`: a later check begins there. */
  get openFromSeq(): number | undefined {
    const [oldest] = this.#cycles.values();
    return oldest?.fromSeq;
  }

  /**
   * Takes the next record of its store. Of the store `agent`, all that came before a record of `cycle` are taken before it.
   *
   * @returns what is found with it
   */
  take(record: ReadRecord): readonly VerdictFinding[] {
    const { store, kind, order, cycleId } = record;
    if (store === 'agent') return found(kind === 'Configured' ? this.#configure(record) : undefined);
    if (store !== 'cycle') return [];
    if (kind === 'Gap') this.forget();
    if (cycleId === undefined) return [];
    const configuration = this.#configurations.findLast((it) => it.fromOrder <= order);
    return [...found(this.#foreign(record, configuration)), ...found(this.#takeCycle(record, cycleId, configuration))];
  }

  /** Records are missing, and that was told elsewhere: cycles under way cannot be followed any more. */
  forget(): void {
    this.#hasLost = true;
    for (const cycle of this.#cycles.values()) this.#close(cycle);
  }

  #configure({ store, seq, order, payload }: ReadRecord): VerdictFinding | undefined {
    const { characterDigest: digest = '', gateRules: rules = 0 } = payload as Partial<ConfiguredPayload>;
    const config = this.#configOf(payload as ConfiguredPayload, digest);
    const isKnown = this.#characters.size === 0 || this.#characters.has(digest);
    this.#configurations.push({
      seq,
      fromOrder: order,
      digest,
      config: config.ok ? config.value : undefined,
      rules,
      // A version that goes back is taken for false: no program of the present rules lets its record be judged by older ones.
      hasOtherRules: rules !== GATE_RULES_VERSION && this.#configurations.every((it) => it.rules <= rules),
      isOtherTold: false,
      isKnown,
    });
    if (config.ok) return undefined;
    const detail = `${config.error}, so no verdict under it can be decided anew`;
    return { kind: 'CannotRecompute', store, seq, detail };
  }

  #configOf(payload: ConfiguredPayload, digest: string): Result<CycleConfig, string> {
    const recorded = configFrom(payload, undefined);
    if (recorded.ok && recorded.value.gate.characterDigest === digest) return recorded;
    const given = this.#characters.get(digest);
    if (given !== undefined) return configFrom(payload, given);
    return err(`the configuration does not hold the character of digest ${shownDigest(digest)} that it names`);
  }

  /** Once for each configuration, with the first decision under it. */
  #foreign({ isLive }: ReadRecord, configuration: Configuration | undefined): VerdictFinding | undefined {
    if (!isLive || configuration === undefined || configuration.isKnown) return undefined;
    configuration.isKnown = true;
    const { seq, digest } = configuration;
    return { kind: 'ForeignCharacter', store: 'agent', seq, detail: `it decides under ${shownDigest(digest)}` };
  }

  #takeCycle(
    record: ReadRecord,
    cycleId: string,
    configuration: Configuration | undefined,
  ): VerdictFinding | undefined {
    const cycle = this.#cycles.get(cycleId) ?? this.#begin(record, cycleId);
    const finding = this.#review(record, cycle, configuration);
    // What is decided under a configuration that cannot be used leads to a state that nobody knows.
    const isLost = finding !== undefined || configuration?.config === undefined;
    if (isLost || record.kind === 'CycleEnded') this.#close(cycle);
    if (record.kind === 'CycleEnded') this.#cycles.delete(cycleId);
    return finding;
  }

  #begin({ kind, seq }: ReadRecord, cycleId: string): OpenCycle {
    const isKnown = kind === 'CycleStarted' || !this.#hasLost;
    const cycle = { fromSeq: seq, review: isKnown ? new CycleReview() : undefined };
    this.#cycles.set(cycleId, cycle);
    const [oldest] = this.#cycles.keys();
    if (this.#cycles.size > OPEN_CYCLES_MAX && oldest !== undefined) this.#cycles.delete(oldest);
    return cycle;
  }

  #review(record: ReadRecord, cycle: OpenCycle, configuration: Configuration | undefined): VerdictFinding | undefined {
    const { fromSeq, review } = cycle;
    if (review === undefined) return undefined;
    if (configuration === undefined) return this.#unconfigured(record);
    if (!isUsable(configuration)) return undefined;
    if (fromSeq === record.seq && record.kind !== 'CycleStarted')
      return cannot(record, 'the beginning of its cycle is not in the record');
    const event = eventIn(record);
    if (event === undefined) return cannot(record, 'it is not what a record of its kind holds');
    if (configuration.hasOtherRules) cycle.otherRules = configuration;
    const finding = this.#decide({ ...record, event }, review, configuration);
    return finding === undefined || cycle.otherRules === undefined || record.isLive
      ? finding
      : this.#otherwise(finding, cycle, cycle.otherRules);
  }

  #decide(
    record: ReadRecord & { readonly event: CycleEvent },
    review: CycleReview,
    configuration: Configuration & { readonly config: CycleConfig },
  ): VerdictFinding | undefined {
    const { event, store, seq, order, epoch } = record;
    try {
      const fault =
        review.take({ event, store, seq, order, epoch }, cycleDecider(configuration.config)) ??
        (event.kind === 'CycleEnded' ? review.close(epoch) : undefined);
      return fault === undefined ? undefined : this.#told(fault, configuration);
    } catch {
      return cannot(record, 'what is recorded before it leads to no decision');
    }
  }

  /** Other rules explain it, and are told once. While the agent is watched nothing does: it is of one program with its auditor. */
  #otherwise({ seq, detail }: VerdictFinding, cycle: OpenCycle, by: Configuration): VerdictFinding | undefined {
    this.otherRulesCycles += 1;
    this.#close(cycle);
    if (by.isOtherTold) return undefined;
    by.isOtherTold = true;
    const versions = `rules of version ${by.rules}, this program has ${GATE_RULES_VERSION}`;
    return { kind: 'OtherRules', store: 'cycle', seq, detail: `${versions}; first ${detail}` };
  }

  /** Once: it is so of all records until there is a configuration. */
  #unconfigured(record: ReadRecord): VerdictFinding | undefined {
    if (this.#hasToldUnconfigured) return undefined;
    this.#hasToldUnconfigured = true;
    return cannot(record, 'no configuration of the agent stands before it');
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
  /** Of gates, decided anew and found right. */
  readonly verdicts: number;
  /** The first of each cycle, oldest first. */
  readonly findings: readonly VerdictFinding[];
  /** The first for each configuration, oldest first: no fault of the record. */
  readonly otherRules: readonly VerdictFinding[];
  readonly otherRulesCycles: number;
}

/** Every verdict of a record, or of a copy of one. */
export async function checkVerdicts(reader: JournalReader): Promise<CheckedVerdicts> {
  const check = new VerdictCheck();
  const findings: VerdictFinding[] = [];
  const stores = ['agent', 'cycle'].filter((store) => reader.stores.includes(store));
  for await (const { cycleId, ...record } of reader.readAll(stores)) {
    findings.push(...check.take({ ...record, cycleId, isLive: false }));
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

function configFrom(payload: ConfiguredPayload, given: CharacterSpec | undefined): Result<CycleConfig, string> {
  try {
    return recordedConfig(payload, given);
  } catch {
    return err('the configuration is not what a record of its kind holds');
  }
}

function eventIn({ kind, payload }: ReadRecord): CycleEvent | undefined {
  const schema = Object.hasOwn(cycleKinds, kind) ? cycleKinds[kind as keyof typeof cycleKinds] : undefined;
  if (schema?.safeParse(payload).success !== true) return undefined;
  return { kind, ...(payload as object) } as CycleEvent;
}

function cannot({ store, seq }: ReadRecord, detail: string): VerdictFinding {
  return { kind: 'CannotRecompute', store, seq, detail };
}

function faultDetail({ recorded, decided }: ReviewFault): string {
  const subject = recorded ?? decided;
  if (subject === undefined) return 'nothing';
  const sides = [answerOf(recorded), answerOf(decided)] as const;
  if (sides[0] !== sides[1]) return `${nameOf(subject)}: recorded ${sides[0]}, decided anew ${sides[1]}`;
  const [member = ''] = (firstDifference(recorded, decided)?.path ?? '').split(/[.[]/);
  return `${nameOf(subject)}: recorded and decided anew ${sides[0]}, with another ${shown(member)}`;
}

function nameOf(event: ReviewedEvent): string {
  switch (event.kind) {
    case 'GateDecided':
      return event.callId === undefined ? `gate ${event.gate}` : `gate ${event.gate}, call ${shown(event.callId)}`;
    case 'ToolRequested':
      return `call ${shown(event.callId)}`;
    case 'CycleEnded':
      return 'end of the cycle';
  }
}

function answerOf(event: ReviewedEvent | undefined): string {
  if (event === undefined) return 'nothing';
  switch (event.kind) {
    case 'GateDecided':
      return `${event.verdict} by ${shown(event.rule)}`;
    case 'ToolRequested':
      return `arguments ${shownDigest(event.argumentsDigest)}`;
    case 'CycleEnded':
      return event.outcome;
  }
}

/** Whoever tampers may write anything in the place of an id: only what looks like one is shown. */
function shown(id: string): string {
  return /^[\w./-]{1,120}$/.test(id) ? id : '(no id)';
}

function shownDigest(digest: string): string {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(digest) ?? [];
  return hex?.slice(0, DIGEST_DIGITS) ?? '(no digest)';
}
