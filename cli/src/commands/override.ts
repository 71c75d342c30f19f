/**
 * `retainer override`: prints the Task by which one principal overrules a refusal of another. Only applying that Task
 * overrules it.
 */
import type { Task } from '@retainer/contract/api/task';
import { recordsOfRun } from '@retainer/agent-pod/review/run-records';
import { appealOf, isOverridable } from '@retainer/mind/gate/override';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { openTasks } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { loadManifests } from '../load-manifests.ts';
import { openRun } from '../open-run.ts';
import { createOutput, type Output } from '../output.ts';

export interface OverrideFlags extends PlaceFlags {
  readonly filename?: readonly string[];
  readonly reason: string;
  readonly rule?: string;
  readonly name?: string;
  readonly by?: string;
}

interface RefusedSubject {
  readonly gate: string;
  readonly rule: string;
  readonly subjectDigest: string;
}

export async function overrideCommand(name: string, flags: OverrideFlags): Promise<number> {
  const { colour, userName } = readEnvironment();
  const output = createOutput('json', colour);
  const found = await refusedTask(name, flags, { output, userName });
  const made = found.ok ? await makeTask(found.value, flags) : found;
  if (!made.ok) {
    output.error(made.error);
    return exitCodes.usage;
  }
  output.data(made.value);
  return exitCodes.done;
}

interface RefusedTask {
  readonly task: Task;
  /** Of whoever overrules. */
  readonly by: string;
}

type Options = { readonly output: Output; readonly userName: string };

/** From the manifests, or from the cluster that the options name. */
async function refusedTask(
  name: string,
  flags: OverrideFlags,
  { output, userName }: Options,
): Promise<Result<RefusedTask, string>> {
  if (flags.filename === undefined) return onCluster(name, flags, output);
  const loaded = await loadManifests(flags.filename);
  if (!loaded.ok) return err(loaded.error.map((it) => `${it.file}: ${it.allowed}`).join('\n'));
  const found = loaded.value.objects.flatMap((it) => (it.kind === 'Task' ? [it.object] : []));
  const task = found.find((it) => it.metadata.name === name);
  if (task === undefined)
    return err(`no Task ${name} in the manifests; Tasks: ${found.map((it) => it.metadata.name).join(', ') || 'none'}`);
  return ok({ task, by: flags.by ?? userName });
}

/** Its status must tell the refusal: a record here may be that of another Task. */
async function onCluster(name: string, flags: OverrideFlags, output: Output): Promise<Result<RefusedTask, string>> {
  const opened = await openTasks(flags, output);
  if (opened === undefined) return err('name the manifests of the Task with -f FILE, or its cluster with -n NAMESPACE');
  try {
    const task = await opened.tasks.find(name);
    const { outcome, refusal } = task.status ?? {};
    if (refusal === undefined) return err(`Task ${name} was not refused: ${outcome ?? 'it has not ended'}`);
    if (refusal.subjectDigest === undefined) return err(refusal.appeal ?? `nobody may overrule ${refusal.rule}`);
    return ok({ task, by: flags.by ?? (await opened.tasks.user()) });
  } finally {
    opened.close();
  }
}

async function makeTask({ task, by }: RefusedTask, flags: OverrideFlags): Promise<Result<object, string>> {
  const { name } = task.metadata;
  const refusal = await refusalOf(task, flags.data);
  if (!refusal.ok) return refusal;
  const { gate, rule, subjectDigest } = refusal.value;
  if (flags.rule !== undefined && flags.rule !== rule)
    return err(`${name} was refused by ${rule}, not by ${flags.rule}`);
  if (gate !== '' && !isOverridable(gate as 'Input', rule)) return err(appealOf({ gate, rule }, name));
  const { cancel: _, answers: _answers, approvals: _approvals, schedule: _schedule, ...spec } = task.spec;
  return ok({
    apiVersion: task.apiVersion,
    kind: task.kind,
    metadata: { name: flags.name ?? `${name}-again`, namespace: task.metadata.namespace },
    spec: { ...spec, override: { of: name, rule, subjectDigest, reason: flags.reason, by } },
  });
}

/** The refusal, from the Task's status as on a cluster, or from the record. */
async function refusalOf(
  { metadata: { name }, status }: Task,
  data: string | undefined,
): Promise<Result<RefusedSubject, string>> {
  const known = status?.refusal;
  if (known?.subjectDigest !== undefined) return ok({ gate: '', rule: known.rule, subjectDigest: known.subjectDigest });
  const opened = await openRun(data, name);
  if (!opened.ok) return opened;
  const { reader, run } = opened.value;
  const records = await recordsOfRun(reader, run.runId);
  const concluded = records.findLast((it) => it.kind === 'RunConcluded')?.payload as
    | { readonly refusal?: Omit<RefusedSubject, 'subjectDigest'> & { readonly subjectDigest?: string } }
    | undefined;
  if (concluded?.refusal === undefined)
    return err(`run ${run.runId} was not refused: ${run.outcome ?? 'it still runs'}`);
  const { gate, rule, subjectDigest } = concluded.refusal;
  if (subjectDigest === undefined) return err(appealOf({ gate, rule }, name));
  return ok({ gate, rule, subjectDigest: `sha256:${subjectDigest}` });
}
