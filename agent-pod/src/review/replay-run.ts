/**
 * Replays a recorded run without model, tools or clock: the recorded answers go to the deciders, under the recorded gate and
 * catalog.
 *
 * Source: design 5.
 */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { AgentControl } from '@retainer/contract/api/agent-control';
import type { ArchiveEvent } from '@retainer/mind/archive/event';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { eventOf } from '@retainer/mind/part/projection';
import { archiveMachine } from '../loop/archive-machine.ts';
import { runMachine } from '../loop/run-driver.ts';
import { alterEvent, type Alteration } from '@retainer/mind/replay/alter-event';
import { compareGates, type GateComparison } from '@retainer/mind/replay/compare-gates';
import { compareSteering, type SteeredRound } from '@retainer/mind/replay/compare-steering';
import { applyControlSettings, type ControlSetting } from '@retainer/mind/replay/control-settings';
import { replayMachine, type MachineReplay, type Recorded } from '@retainer/mind/replay/replay-machine';
import type { RunEvent } from '@retainer/mind/run/event';
import { cycleDecider, recordedConfig, type ConfiguredPayload } from './recorded-config.ts';
import { recordsOfRun } from './run-records.ts';
import { knownTools } from '../parts/catalog.ts';

export { parseAlteration, type Alteration } from '@retainer/mind/replay/alter-event';
export type { GateComparison, GateDifference } from '@retainer/mind/replay/compare-gates';
export type { SteeredRound, SteeringAnswer } from '@retainer/mind/replay/compare-steering';
export { parseControlSetting, type ControlSetting } from '@retainer/mind/replay/control-settings';
export type { Divergence, MachineReplay } from '@retainer/mind/replay/replay-machine';

/** One machine of the run: the run itself, one of its cycles, or its archiving. */
export interface ReplayedMachine extends MachineReplay {
  readonly store: 'run' | 'cycle' | 'archive';
  /** Run id, or cycle id. */
  readonly id: string;
}

export interface RunReplay {
  readonly runId: string;
  readonly machines: readonly ReplayedMachine[];
  /** Every decision is the recorded one, whichever deciders made it. */
  readonly isByteEqual: boolean;
  readonly configurations: number;
}

export interface GateReplay extends GateComparison {
  readonly runId: string;
  readonly recordedDigest: string;
  readonly changedDigest: string;
}

export interface SteeringReplay {
  readonly runId: string;
  readonly recordedControl: AgentControl;
  readonly changedControl: AgentControl;
  /** One for each steered round, oldest first. */
  readonly rounds: readonly SteeredRound[];
}

/** @returns the result of the replay; the error says why the run cannot be replayed */
export async function replayRun(
  reader: JournalReader,
  runId: string,
  alterations: readonly Alteration[] = [],
): Promise<Result<RunReplay, string>> {
  const configured = await readConfigurations(reader, undefined);
  if (!configured.ok) return configured;
  const altered = alterAll(await recordsOfRun(reader, runId), alterations);
  if (!altered.ok) return altered;
  const records = altered.value;
  const runs = replayMachine(
    () => runMachine(knownTools),
    recordedOf<RunEvent>(records.filter((it) => it.store === 'run')),
  );
  const machines: ReplayedMachine[] = [{ store: 'run', id: runId, ...runs }];
  for (const [cycleId, events] of cyclesOf(records)) {
    const replayed = replayMachine((order) => cycleDecider(configAt(configured.value, order)), events);
    machines.push({ store: 'cycle', id: cycleId, ...replayed });
  }
  const archived = recordedOf<ArchiveEvent>(records.filter((it) => it.store === 'archive'));
  if (archived.length > 0)
    machines.push({ store: 'archive', id: `${runId}-archive`, ...replayMachine(() => archiveMachine, archived) });
  return ok({
    runId,
    machines,
    isByteEqual: machines.every((it) => it.divergence === undefined && it.decidedOtherwise.length === 0),
    configurations: configured.value.length,
  });
}

/** Compares the run's steering with that under other settings of the control loop. */
export async function replaySteering(
  reader: JournalReader,
  runId: string,
  settings: readonly ControlSetting[],
): Promise<Result<SteeringReplay, string>> {
  const records = await recordsOfRun(reader, runId);
  const events = recordedOf<RunEvent>(records.filter((it) => it.store === 'run'));
  const admitted = events.find(({ event }) => event.kind === 'RunAdmitted')?.event;
  if (admitted?.kind !== 'RunAdmitted') return err(`the admission of ${runId} is missing`);
  const { control } = admitted.spec;
  const changed = applyControlSettings(control, settings);
  if (!changed.ok) return changed;
  const rounds = compareSteering(runMachine(knownTools), events, changed.value);
  return ok({ runId, recordedControl: control, changedControl: changed.value, rounds });
}

/** Judges the recorded history by the gate of another character. */
export async function replayGates(
  reader: JournalReader,
  runId: string,
  character: CharacterSpec,
): Promise<Result<GateReplay, string>> {
  const configured = await readConfigurations(reader, character);
  if (!configured.ok) return configured;
  const recorded = await readConfigurations(reader, undefined);
  if (!recorded.ok) return recorded;
  const records = await recordsOfRun(reader, runId);
  const comparisons = [...cyclesOf(records)].map(([, events]) =>
    compareGates(cycleDecider(configAt(configured.value, events[0]?.order ?? 0)), events),
  );
  const firstOrder = records[0]?.order ?? 0;
  return ok({
    runId,
    recordedDigest: configAt(recorded.value, firstOrder).gate.characterDigest,
    changedDigest: configAt(configured.value, firstOrder).gate.characterDigest,
    compared: comparisons.reduce((sum, it) => sum + it.compared, 0),
    differences: comparisons.flatMap((it) => it.differences),
  });
}

interface Configuration {
  readonly fromOrder: number;
  readonly config: CycleConfig;
}

/** One per start of the agent, oldest first. `changed` replaces the recorded character when it is given. */
async function readConfigurations(
  reader: JournalReader,
  changed: CharacterSpec | undefined,
): Promise<Result<readonly Configuration[], string>> {
  const configurations: Configuration[] = [];
  for await (const record of reader.read('agent')) {
    if (record.kind !== 'Configured') continue;
    const config = recordedConfig(record.payload as unknown as ConfiguredPayload, changed);
    if (!config.ok) return err(`the configuration at agent/${record.seq} cannot be used: ${config.error}`);
    configurations.push({ fromOrder: record.order, config: config.value });
  }
  if (configurations.length === 0)
    return err('the record holds no configuration of the agent, so there is no gate to ask');
  return ok(configurations);
}

function configAt(configurations: readonly Configuration[], order: number): CycleConfig {
  const found = configurations.findLast((it) => it.fromOrder <= order) ?? configurations[0];
  if (found === undefined) throw new Error('a record without configuration was refused before');
  return found.config;
}

function cyclesOf(records: readonly JournalRecord[]): ReadonlyMap<string, readonly Recorded<CycleEvent>[]> {
  const cycles = records.filter((record) => record.store === 'cycle');
  const ids = [...new Set(cycles.map((record) => record.cycleId ?? ''))];
  return new Map(
    ids.map((id) => [id, recordedOf<CycleEvent>(cycles.filter((record) => (record.cycleId ?? '') === id))]),
  );
}

function recordedOf<Event>(records: readonly JournalRecord[]): readonly Recorded<Event>[] {
  return records.map((record) => {
    const { store, seq, order, epoch } = record;
    return { event: eventOf<Event>(record), store, seq, order, epoch };
  });
}

function alterAll(
  records: readonly JournalRecord[],
  alterations: readonly Alteration[],
): Result<readonly JournalRecord[], string> {
  let altered = records;
  for (const { store, seq, path, value } of alterations) {
    const index = altered.findIndex((record) => record.store === store && record.seq === seq);
    const record = altered[index];
    if (record === undefined) return err(`this run has no record ${store}/${seq}`);
    const payload = alterEvent(record.payload, path, value);
    if (!payload.ok) return err(`${store}/${seq} ${record.kind}: ${payload.error}`);
    altered = altered.with(index, { ...record, payload: payload.value });
  }
  return ok(altered);
}
