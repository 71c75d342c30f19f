/** `retainer gate attack`: the worst case, played against the agent of the manifests. Leaves nothing behind. */
import { attackAgent, type AttackReport } from '@retainer/agent-pod/attack/attack-agent';
import { WORST_CASE_SEED } from '@retainer/agent-pod/attack/pairs';
import type { Task } from '@retainer/contract/api/task';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { attackData, renderAttack } from '../gate/render-attack.ts';
import { loadManifests } from '../load-manifests.ts';
import { manifestSeeds } from '../manifest-seeds.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { selectAgent, type Selection } from '../select-agent.ts';
import { stopSignals } from '../stop-signals.ts';

export interface AttackFlags {
  readonly filename: readonly string[];
  readonly agent?: string;
  readonly task?: string;
  readonly seed?: number;
  readonly channel?: string;
  readonly goal?: string;
  readonly all?: true;
  readonly output: OutputFormat;
}

/** Worlds between two lines of progress. */
const PROGRESS_STRIDE = 10;

export async function attackCommand(flags: AttackFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const selection = await readSelection(flags);
  if (!selection.ok) return refuse(output, selection.error);
  const tasks = tasksOf(selection.value, flags.task);
  if (!tasks.ok) return refuse(output, tasks.error);
  const seed = flags.seed ?? WORST_CASE_SEED;
  const { agent, character } = selection.value.definition;
  const head = {
    agent: agent.metadata.name,
    character: character.metadata.name,
    tasks: tasks.value.map((task) => task.metadata.name),
    seed,
  };
  const stop = stopSignals(
    () => output.note('stopping; what was played so far is told', 'Warning'),
    () => process.exit(exitCodes.interrupted),
  );
  const report = await attackAgent({
    manifests: { definition: selection.value.definition, seeds: manifestSeeds(selection.value), tasks: tasks.value },
    seed,
    wish: { channel: flags.channel, goal: flags.goal, all: flags.all === true },
    onPlayed: (count, countMax) => tellProgress(output, count, countMax),
    signal: stop.signal,
  });
  stop.dispose();
  if (!report.ok) return refuse(output, report.error);
  output.lines(renderAttack(head, report.value));
  const code = stop.signal.aborted ? exitCodes.interrupted : codeOf(report.value);
  output.data({ ...attackData(head, report.value), exitCode: code });
  return code;
}

async function readSelection({ filename, agent }: AttackFlags): Promise<Result<Selection, readonly string[]>> {
  const loaded = await loadManifests(filename);
  const selected = loaded.ok ? selectAgent(loaded.value.objects, agent) : loaded;
  return selected.ok ? selected : err(selected.error.map((error) => renderManifestError(error)));
}

function tasksOf({ tasks }: Selection, name: string | undefined): Result<readonly Task[], string> {
  if (name === undefined) return ok(tasks);
  const named = tasks.filter((task) => task.metadata.name === name);
  const names = tasks.map((task) => task.metadata.name).join(', ') || 'none';
  return named.length > 0 ? ok(named) : err(`--task ${name}: no Task of the Agent has this name; there are: ${names}`);
}

function tellProgress(output: Output, count: number, countMax: number): void {
  if (count % PROGRESS_STRIDE === 0 || count === countMax) output.note(`played ${count} of ${countMax}`, 'Quiet');
}

function codeOf({ attacked }: AttackReport): number {
  return attacked.some((it) => it.hasSucceeded) ? exitCodes.gotThrough : exitCodes.done;
}
