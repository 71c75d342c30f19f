/**
 * Decides whole runs again, each with all its cycles, and reports the first record of each machine that the deciders do not
 * give. Other than `verdict-check.ts`, it compares every record, and what the run was told of its cycles.
 *
 * I1  Only records of the present deciders' number are judged. The number is believed as the configuration before it says it.
 * I2  A finding contains ids, kinds and names of members, never a text of the record.
 *
 * Source: design 5.
 */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { sha256Hex } from '@retainer/contract/std/hash';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { DECIDERS, decidersFrom } from '@retainer/mind/cycle/deciders';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { CycleEvent, CycleInput } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
import { MachineReview, type Divergence, type MachineReplay } from '@retainer/mind/replay/replay-machine';
import type { RunEvent, RunEventOf, RunInput } from '@retainer/mind/run/event';
import type { RunState } from '@retainer/mind/run/state';
import type { Finding } from '../audit/finding.ts';
import type { RunRecord, RunsJudged } from '../audit/run-audit.ts';
import { concluded } from '../loop/concluded-cycle.ts';
import { runMachine } from '../loop/run-driver.ts';
import { knownTools } from '../parts/catalog.ts';
import { asToday } from './as-today.ts';
import { byDigest, cycleDecider, shownId, trustedConfig, type ConfiguredPayload } from './recorded-config.ts';

interface Configuration {
  readonly seq: number;
  readonly fromOrder: number;
  readonly deciders: number;
  readonly payload: ConfiguredPayload;
  /** Compiled when it is first needed. */
  config: CycleConfig | undefined;
}

interface CheckedCycle {
  readonly machine: MachineReview<CycleState, CycleInput, CycleEvent>;
  /** The check of verdicts reported it. */
  isTold: boolean;
}

interface CheckedRun {
  readonly runId: string;
  readonly first: RunRecord;
  readonly machine: MachineReview<RunState, RunInput, RunEvent>;
  readonly cycles: Map<string, CheckedCycle>;
  /** What the run was told of each cycle, as the digest of it. */
  readonly concluded: Map<string, { readonly seq: number; readonly digest: string }>;
  /** The first thing that ended its check early. */
  finding: Finding | undefined;
}

const runDecider = runMachine(knownTools);

export class RunCheck {
  readonly #characters: ReadonlyMap<string, CharacterSpec>;
  readonly #isTold: (store: string, seq: number) => boolean;
  readonly #configurations: Configuration[] = [];
  #runs = new Map<string, CheckedRun>();

  /**
   * @param characters  from outside the record, as in `VerdictCheck`
   * @param isTold      another check reported this record
   */
  constructor(characters: readonly CharacterSpec[], isTold: (store: string, seq: number) => boolean) {
    this.#characters = byDigest(characters);
    this.#isTold = isTold;
  }

  take(record: RunRecord): void {
    if (record.store === 'agent') return this.#configure(record);
    const run = this.#runs.get(record.runId) ?? this.#begin(record);
    if (run.finding !== undefined) return undefined;
    try {
      if (record.store === 'run') this.#takeRun(run, record);
      else this.#takeCycle(run, record);
    } catch {
      run.finding = finding('CannotRecompute', record, 'the records before it lead to no decision');
    }
    return undefined;
  }

  judge(): RunsJudged {
    const runs = [...this.#runs.values()];
    this.#runs = new Map();
    const judged = runs.map((run) => this.#judgeRun(run));
    const count = (outcome: Judged['outcome']): number => judged.filter((it) => it.outcome === outcome).length;
    return {
      equal: count('Equal'),
      different: count('Different'),
      other: count('Other'),
      findings: judged.flatMap(({ findings }) => findings),
    };
  }

  #configure(record: RunRecord): void {
    const { kind, seq, order } = record;
    const payload = asToday(record);
    if (kind !== 'Configured' || typeof payload !== 'object' || payload === null) return;
    const { deciders = 0 } = payload as Partial<ConfiguredPayload>;
    const configured = { seq, fromOrder: order, deciders, payload: payload as ConfiguredPayload };
    this.#configurations.push({ ...configured, config: undefined });
  }

  #begin(first: RunRecord): CheckedRun {
    const { runId } = first;
    const machine = new MachineReview(() => runDecider);
    const run = { runId, first, machine, cycles: new Map(), concluded: new Map(), finding: undefined };
    this.#runs.set(runId, run);
    return run;
  }

  #takeRun(run: CheckedRun, record: RunRecord): void {
    const event = eventIn<RunEvent>(record);
    const isHeadless = record === run.first && event.kind !== 'RunAdmitted';
    run.finding = isHeadless
      ? finding('CannotRecompute', record, 'the admission of its run is not in the record')
      : this.#falseNumber(record, event);
    if (event.kind === 'CycleConcluded')
      run.concluded.set(event.cycleId, { seq: record.seq, digest: digestOfAccount(event) });
    run.machine.take({ ...record, event });
  }

  #takeCycle(run: CheckedRun, record: RunRecord): void {
    const { cycleId = '' } = record;
    const cycle = run.cycles.get(cycleId) ?? {
      machine: new MachineReview((order) => cycleDecider(this.#configAt(order))),
      isTold: false,
    };
    run.cycles.set(cycleId, cycle);
    cycle.isTold ||= this.#isTold(record.store, record.seq);
    if (cycle.isTold) return;
    const event = eventIn<CycleEvent>(record);
    run.finding = this.#falseNumber(record, event);
    cycle.machine.take({ ...record, event });
  }

  /** A number that its own configuration does not have would pass the record off as that of another version. */
  #falseNumber(record: RunRecord, event: Parameters<typeof decidersFrom>[0]): Finding | undefined {
    const named = decidersFrom(event);
    const configured = this.#at(record.order)?.deciders;
    if (named === undefined || configured === undefined || named === configured) return undefined;
    return finding('DecisionDiffers', record, `it names deciders ${named}, and its configuration ${configured}`);
  }

  #at(order: number): Configuration | undefined {
    return this.#configurations.findLast((it) => it.fromOrder <= order) ?? this.#configurations[0];
  }

  #configAt(order: number): CycleConfig {
    const configuration = this.#at(order);
    if (configuration === undefined) throw new Error('no configuration');
    if (configuration.config === undefined) {
      const config = trustedConfig(configuration.payload, this.#characters);
      if (!config.ok) throw new Error(config.error);
      configuration.config = config.value;
    }
    return configuration.config;
  }

  #judgeRun(run: CheckedRun): Judged {
    try {
      return this.#judgeMachines(run);
    } catch {
      return different([finding('CannotRecompute', run.first, 'its last records lead to no decision')]);
    }
  }

  #judgeMachines(run: CheckedRun): Judged {
    if (run.finding !== undefined) return different([run.finding]);
    const replay = run.machine.end(true);
    const told = replay.divergence === undefined ? [] : [differs(replay.divergence, `run ${shownId(run.runId)}`)];
    const cycles = [...run.cycles].map(([cycleId, cycle]) => judgeCycle(run, cycleId, cycle));
    const findings = [...told, ...cycles.flatMap((it) => it.findings), ...missingCycles(run)];
    const isTold = [...run.cycles.values()].some((it) => it.isTold);
    if (findings.length > 0 || isTold) return different(findings);
    const replays = [replay, ...cycles.flatMap((it) => it.replay)];
    if (replays.every(({ otherInputs }) => otherInputs === 0)) return { outcome: 'Equal', findings: [] };
    return { outcome: 'Other', findings: this.#otherwise(run) };
  }

  /** While the agent is watched, there is no reason for other deciders than the auditor's. */
  #otherwise({ first }: CheckedRun): readonly Finding[] {
    const by = this.#at(first.order);
    if (by === undefined || !first.isLive) return [];
    const detail = `deciders ${by.deciders}, this program has ${DECIDERS}: runs under it are not judged`;
    return [{ kind: 'OtherRules', store: 'agent', seq: by.seq, detail }];
  }
}

interface Judged {
  readonly outcome: 'Equal' | 'Different' | 'Other';
  readonly findings: readonly Finding[];
}

function different(findings: readonly Finding[]): Judged {
  return { outcome: 'Different', findings };
}

interface JudgedCycle {
  readonly findings: readonly Finding[];
  readonly replay: readonly MachineReplay[];
}

function judgeCycle(run: CheckedRun, cycleId: string, { machine, isTold }: CheckedCycle): JudgedCycle {
  if (isTold) return { findings: [], replay: [] };
  const account = run.concluded.get(cycleId);
  const replay = machine.end(account !== undefined);
  const named = `cycle ${shownId(cycleId)}`;
  if (replay.divergence !== undefined) return { findings: [differs(replay.divergence, named)], replay: [replay] };
  const { state } = machine;
  // A number of its own, because other deciders may tell their runs other things of the same cycle.
  if (account === undefined || replay.otherInputs > 0) return { findings: [], replay: [replay] };
  const place = { store: 'run', seq: account.seq };
  if (state?.ended === undefined) {
    const detail = `the run was told of the end of ${named}, which is not in the record`;
    return { findings: [{ kind: 'DecisionMissing', ...place, detail }], replay: [replay] };
  }
  const isSame = digestOfAccount(concluded(state, 0, knownTools)) === account.digest;
  const detail = `the run was told otherwise of ${named} than the record of the cycle leads to`;
  return { findings: isSame ? [] : [{ kind: 'DecisionDiffers', ...place, detail }], replay: [replay] };
}

function missingCycles({ concluded: accounts, cycles }: CheckedRun): readonly Finding[] {
  return [...accounts].flatMap(([cycleId, { seq }]) =>
    cycles.has(cycleId)
      ? []
      : [{ kind: 'DecisionMissing', store: 'run', seq, detail: `no record of cycle ${shownId(cycleId)} is there` }],
  );
}

/** Without the moment at which it was told. */
function digestOfAccount(account: RunEventOf<'CycleConcluded'>): string {
  return sha256Hex(canonicalJson({ ...account, atMs: 0 }));
}

function differs({ store, seq, kind, decidedKind, path }: Divergence, named: string): Finding {
  const isMissing = decidedKind !== undefined && decidedKind !== kind;
  const [member = ''] = path.split(/[.[]/);
  const what = isMissing
    ? `the deciders give ${decidedKind} there`
    : decidedKind === undefined
      ? `the deciders give no ${shownId(kind)} there`
      : `${shownId(kind)} has another ${shownId(member)}`;
  return { kind: isMissing ? 'DecisionMissing' : 'DecisionDiffers', store, seq, detail: `${named}: ${what}` };
}

function finding(kind: Finding['kind'], { store, seq }: RunRecord, detail: string): Finding {
  return { kind, store, seq, detail };
}

function eventIn<Event>(record: RunRecord): Event {
  return { kind: record.kind, ...(asToday(record) as object) } as Event;
}
