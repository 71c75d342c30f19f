/** `retainer replay`: re-runs a run offline and compares every decision with the record, byte for byte. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import {
  parseAlteration,
  parseControlSetting,
  replayGates,
  replayRun,
  replaySteering,
  type Divergence,
  type GateReplay,
  type ReplayedMachine,
  type RunReplay,
  type SteeringAnswer,
  type SteeringReplay,
} from '@retainer/agent-pod/review/replay-run';
import { recordsOfRun } from '@retainer/agent-pod/review/run-records';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { renderPlural, renderSigned, renderTwoDigits, shortDigest } from '@retainer/mind/explain/figures';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { examineRecord, gapsInRun, openRun, type OpenedRun } from '../open-run.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { readCharacter } from '../read-character.ts';
import { refuse } from '../refuse.ts';
import { damageOf } from '../verify-record.ts';

export interface ReplayFlags {
  readonly data?: string;
  readonly alter?: readonly string[];
  readonly character?: string;
  readonly set?: readonly string[];
  readonly output: OutputFormat;
}

const VALUE_CHARACTERS = 400;

export async function replayCommand(run: string, flags: ReplayFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const opened = await openWhole(output, flags, run);
  if (!opened.ok) return refuse(output, ...opened.error);
  const { reader, run: found } = opened.value;
  if (flags.character !== undefined) {
    const character = await readCharacter(flags.character);
    if (!character.ok) return refuse(output, character.error);
    const gates = await replayGates(reader, found.runId, character.value);
    return gates.ok ? tellGates(output, gates.value) : refuse(output, [gates.error]);
  }
  if (flags.set !== undefined) {
    const settings = allParsed(flags.set.map(parseControlSetting));
    if (!settings.ok) return refuse(output, settings.error);
    const steering = await replaySteering(reader, found.runId, settings.value);
    return steering.ok ? tellSteering(output, steering.value, flags.set) : refuse(output, [steering.error]);
  }
  const alterations = allParsed((flags.alter ?? []).map(parseAlteration));
  if (!alterations.ok) return refuse(output, alterations.error);
  const replay = await replayRun(reader, found.runId, alterations.value);
  return replay.ok ? tellReplay(output, replay.value, alterations.value.length) : refuse(output, [replay.error]);
}

/** Damage ends the command: a replay of a part proves nothing. */
async function openWhole(
  output: Output,
  { data }: ReplayFlags,
  run: string,
): Promise<Result<OpenedRun, readonly [text: string, code: number]>> {
  const examined = await examineRecord(data);
  if (!examined.ok) return err([examined.error, exitCodes.usage]);
  const damage = damageOf(examined.value);
  if (damage !== undefined)
    return err([`the record is not whole (${damage.text}); run "retainer journal verify"`, damage.code]);
  const opened = await openRun(data, run);
  if (!opened.ok) return err([opened.error, exitCodes.usage]);
  const { reader, run: found } = opened.value;
  for (const gap of gapsInRun(examined.value, found, await recordsOfRun(reader, found.runId)))
    output.line(`records of this run may be lost: ${gap}`, 'Warning');
  return opened;
}

function allParsed<T>(parsed: readonly Result<T, string>[]): Result<readonly T[], readonly string[]> {
  const errors = parsed.flatMap((it) => (it.ok ? [] : [it.error]));
  return errors.length > 0 ? err(errors) : ok(parsed.flatMap((it) => (it.ok ? [it.value] : [])));
}

function tellReplay(output: Output, replay: RunReplay, altered: number): number {
  output.data(replay);
  output.line(`Replay of ${replay.runId}${altered === 0 ? '' : ` with ${renderPlural(altered, 'altered record')}`}`);
  for (const machine of replay.machines) tellMachine(output, machine);
  const first = firstDivergence(replay);
  if (first !== undefined) {
    tellDivergence(output, 'first divergence', first);
    return exitCodes.record;
  }
  const otherwise = replay.machines.flatMap((it) => it.decidedOtherwise);
  tellWhole(output, otherwise);
  if (altered > 0 && otherwise.length === 0) output.line('no decision depends on the altered records', 'Warning');
  return exitCodes.done;
}

function tellMachine(output: Output, { store, id, inputs, decisions, cutGroups, ...compared }: ReplayedMachine): void {
  const cut = cutGroups === 0 ? '' : `, ${renderPlural(cutGroups, 'decision')} cut off by a crash`;
  const [end, tone] = endOf(compared);
  output.line(
    `  ${store.padEnd(5)} ${id}: ${renderPlural(inputs, 'input')} fed, ${renderPlural(decisions, 'decision')} the same${cut}: ${end}`,
    tone,
  );
}

type Compared = Pick<ReplayedMachine, 'divergence' | 'otherInputs' | 'decidedOtherwise'>;

function endOf({ divergence, otherInputs, decidedOtherwise }: Compared): readonly [string, 'Good' | 'Warning' | 'Bad'] {
  if (divergence !== undefined) return ['diverges', 'Bad'];
  if (decidedOtherwise.length === 0) return ['byte-equal', 'Good'];
  return [`${decidedOtherwise.length} of ${renderPlural(otherInputs, 'input')} decided otherwise today`, 'Warning'];
}

function tellWhole(output: Output, otherwise: readonly Divergence[]): void {
  const [first] = otherwise;
  if (first === undefined)
    return output.line('byte-equal: the recorded answers lead to the recorded decisions', 'Good');
  output.line(
    `no fault: another version of the program made these decisions, and this one decides ${renderPlural(otherwise.length, 'input')} otherwise (its deciders are number ${DECIDERS})`,
    'Warning',
  );
  tellDivergence(output, 'first of them', first);
}

/** The first in a machine's record; a cycle's divergence comes before its effect on the run. */
function firstDivergence({ machines }: RunReplay): Divergence | undefined {
  const found = machines.filter((it) => it.divergence !== undefined);
  return (found.find((it) => it.store === 'cycle') ?? found[0])?.divergence;
}

function tellDivergence(output: Output, title: string, found: Divergence): void {
  const { store, seq, kind, inputSeq, path, recorded, decided } = found;
  const place = path === '' ? 'the whole record' : path;
  output.line(`${title}: store ${store}, sequence ${seq}, ${kind}, at ${place}`, 'Bad');
  output.line(`  decided on the input at sequence ${inputSeq}`);
  output.line(`  recorded: ${excerpt(recorded)}`);
  output.line(`  decided:  ${excerpt(decided)}`);
}

function excerpt(text: string): string {
  return text.length <= VALUE_CHARACTERS ? text : `${text.slice(0, VALUE_CHARACTERS)} … (${text.length} characters)`;
}

function tellGates(output: Output, gates: GateReplay): number {
  const { runId, recordedDigest, changedDigest, compared, differences } = gates;
  output.data(gates);
  output.line(
    `Gates of ${runId} under another character (${shortDigest(recordedDigest)} became ${shortDigest(changedDigest)})`,
  );
  output.line(`  ${renderPlural(compared, 'decision')} asked again, ${differences.length} would differ`);
  for (const { seq, gate, tool, callId, recorded, decided, isAskedAnew } of differences) {
    const what = tool === undefined ? gate.toLowerCase() : `${tool} ${callId?.slice(runId.length + 1) ?? ''}`;
    output.line(`  cycle ${seq}, ${what}:`);
    output.line(`    recorded: ${recorded.verdict} by ${recorded.rule}`);
    const unasked = isAskedAnew === true ? 'a new score would be needed' : 'no longer asked';
    const now = decided === undefined ? unasked : `${decided.verdict} by ${decided.rule}: ${decided.reason}`;
    output.line(`    now:      ${now}`, 'Warning');
  }
  return exitCodes.done;
}

function tellSteering(output: Output, { runId, rounds, ...rest }: SteeringReplay, settings: readonly string[]): number {
  output.data({ runId, ...rest, rounds });
  output.line(`Steering of ${runId} with ${settings.join(', ')}`);
  const first = rounds.find((it) => it.isDifferent);
  for (const { round, recorded, decided, isDifferent, isHypothetical } of rounds) {
    const note = isHypothetical ? ', hypothetical' : '';
    output.line(`  round ${round}${note}:`, isHypothetical ? 'Quiet' : 'Plain');
    output.line(`    recorded: ${answerText(recorded)}`);
    const now = decided === undefined ? 'no steering at this point' : answerText(decided);
    output.line(`    now:      ${now}`, isDifferent ? 'Warning' : 'Good');
  }
  if (rounds.length === 0) output.line('the steerer judged no round of this run', 'Warning');
  else if (first === undefined) output.line('the steering of every round would be the same', 'Good');
  else
    output.line(
      `round ${first.round} would be steered differently; the rounds after it would then be different ones, so they are not compared`,
      'Warning',
    );
  return exitCodes.done;
}

function answerText({
  occasion,
  loss,
  gradL,
  gradQ,
  cell,
  byTable,
  override,
  directive,
  blocked,
}: SteeringAnswer): string {
  const how = cell === undefined ? occasion : `cell ${cell} ${byTable}${override === undefined ? '' : `, ${override}`}`;
  const pairs = (blocked.pairs ?? []).map((it) => `${it.tool} on ${it.target}`);
  const barred = [...blocked.tools, ...blocked.targets, ...pairs];
  const terms = [`D ${renderTwoDigits(loss.d)}`, `P ${renderTwoDigits(loss.p)}`, `Ω ${renderTwoDigits(loss.omega)}`];
  const changes = `∇L ${renderSigned(gradL)}, ∇Q ${renderSigned(gradQ)}`;
  return (
    `${directive} (${how}); L ${renderTwoDigits(loss.l)} of ${terms.join(', ')}; ${changes}` +
    (barred.length === 0 ? '' : `; blocked: ${barred.map(excerpt).join(', ')}`)
  );
}
