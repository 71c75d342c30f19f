/** `retainer run`: an agent and its Tasks on this machine, from the manifests that a cluster takes. */
import { looksSecret } from '@retainer/contract/api/looks-secret';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '@retainer/contract/api/task';
import { modelTroubles } from '@retainer/contract/api/known-models';
import { unplayedWorkers } from '@retainer/contract/api/unplayed-workers';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { seedWorkspace } from '@retainer/agent-pod/boot/seed-workspace';
import { renderPlural } from '@retainer/mind/explain/figures';
import { readEnvironment } from '../config.ts';
import { defaultDataDirectory } from '../data-directory.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { loadManifests } from '../load-manifests.ts';
import { isStandardInput, isWatchable } from '../manifest-files.ts';
import { refuse } from '../refuse.ts';
import type { ModelFlag } from '../choose-model.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { startAuditor, type LocalAuditor } from '../local-auditor.ts';
import { makeDirectory } from '../make-directory.ts';
import { manifestSeeds } from '../manifest-seeds.ts';
import {
  notYetWarnings,
  renderNotYetWarnings,
  type NotYetWarning,
} from '@retainer/contract/manifest/fields-without-effect';
import { renderResults } from '../render-results.ts';
import { codedEnd, type TaskResult } from '../run-task.ts';
import { runTasks, type TasksEnd } from '../run-tasks.ts';
import { selectAgent, type Selection } from '../select-agent.ts';
import { startSession, type Session } from '../session.ts';
import { stopSignals } from '../stop-signals.ts';
import { TaskBoard } from '../task-board.ts';
import { isSound, renderFault, verifyRecord, type Verification } from '../verify-record.ts';
import { watchManifests, type ManifestWatch } from '../watch-manifests.ts';

export interface RunFlags {
  readonly filename: readonly string[];
  readonly data?: string;
  readonly agent?: string;
  readonly watch?: true;
  readonly model?: ModelFlag;
  readonly strict?: true;
  /** False with `--no-auditor`. */
  readonly auditor: boolean;
  readonly output: OutputFormat;
}

/** The same command shows these ends again, until a person wants the work once more. */
const BEGINS_ANEW: ReadonlySet<string> = new Set(['Failed', 'Abandoned', 'Cancelled']);

/** Faults named at the end of a run; `retainer journal verify` names more. */
const FAULTS_SHOWN = 5;

/** A person who has the result wonders after so long why the command does not end. */
const SLOW_ARCHIVE_MS = 2_000;

/** Width of the result without a terminal. */
const COLUMNS_DEFAULT = 100;

export async function runCommand(flags: RunFlags): Promise<number> {
  const environment = readEnvironment();
  const output = createOutput(flags.output, environment.colour);
  const fleeting = await fleetingFile(flags);
  if (fleeting !== undefined) return refuse(output, fleeting);
  const watch = await watchManifests(flags.filename);
  const selection = await readSelection(flags, output, 'nothing was started');
  if (selection === undefined) return exitCodes.usage;
  const { agent, character, skills } = selection.definition;
  if (agent.spec.suspend) {
    const at = `${selection.agentFile}: Agent/${agent.metadata.name}: spec.suspend`;
    output.error(`${at} is true, so the Agent was not started; set it to false to continue from its record`);
    return exitCodes.usage;
  }
  const warnings = notYetWarnings([agent, character, ...skills, ...selection.tasks], unplayedWorkers(agent.spec));
  const dataDirectory = flags.data ?? defaultDataDirectory(agent.metadata.name);
  const isFirstRun = !(await access(join(dataDirectory, 'journal')).then(
    () => true,
    () => false,
  ));
  await makeDirectory(resolve(dataDirectory));
  const { copied } = await seedWorkspace(join(dataDirectory, 'workspace'), manifestSeeds(selection));
  const stop = stopSignals(
    () => output.note('stopping; the record holds the work so far. Ctrl-C again stops at once', 'Warning'),
    () => process.exit(exitCodes.interrupted),
  );
  const session = await startSession({ flags, environment, output, selection, dataDirectory, signal: stop.signal });
  if (typeof session === 'number') return session;
  tellStart({ output, selection, dataDirectory, session, isFirstRun, copied: copied.length, warnings });
  const auditor = flags.auditor ? startAuditor(dataDirectory, output) : undefined;
  const style = {
    columns: Math.min(process.stdout.columns ?? COLUMNS_DEFAULT, COLUMNS_DEFAULT),
    characterFile: selection.characterFile,
  };
  const work = { flags, session, selection, watch };
  const ended = await closing({ session, auditor }, () =>
    runAll(work, (news) => output.lines(renderResults(news, style))),
  );
  stop.dispose();
  const isStopped = stop.signal.aborted;
  return finish({ flags, output, selection, dataDirectory, session, ...ended, isStopped, warnings });
}

/** @returns why the manifests cannot be read, or not again */
async function fleetingFile({ filename, watch }: RunFlags): Promise<string | undefined> {
  if (filename.filter(isStandardInput).length > 1) return 'standard input can be read once only';
  if (watch === undefined) return undefined;
  for (const path of filename)
    if (!(await isWatchable(path))) return `--watch cannot follow ${path}: give files or directories`;
  return undefined;
}

/** @param then  what becomes of an error */
async function readSelection(flags: RunFlags, output: Output, then: string): Promise<Selection | undefined> {
  const loaded = await loadManifests(flags.filename);
  const selected = loaded.ok ? selectAgent(loaded.value.objects, flags.agent) : loaded;
  if (!selected.ok) {
    for (const error of selected.error) output.error(renderManifestError(error));
    output.error(
      `${selected.error.length === 1 ? 'one error' : `${selected.error.length} errors`} in the manifests; ${then}`,
    );
    return undefined;
  }
  const script = selected.value.definition.agent.spec.models.script;
  for (const { file, why } of loaded.ok ? loaded.value.skipped : []) {
    if (script === undefined || !file.endsWith(script)) output.note(`${file} ${why}; ignored`, 'Quiet');
  }
  return selected.value;
}

interface Start {
  readonly output: Output;
  readonly selection: Selection;
  readonly dataDirectory: string;
  readonly session: Session;
  readonly isFirstRun: boolean;
  readonly copied: number;
  readonly warnings: readonly NotYetWarning[];
}

function tellStart({ output, selection, dataDirectory, session, isFirstRun, copied, warnings }: Start): void {
  const { agent, character, skills } = selection.definition;
  const { isIsolated, description } = session.agent.sandbox;
  output.note(
    `agent      ${agent.metadata.name} (character ${character.metadata.name}, skills: ${skills.map((it) => it.metadata.name).join(', ') || 'none'})`,
  );
  tellPersona(output, character.spec);
  output.note(`model      ${session.choice.because}`);
  for (const trouble of session.choice.provider === 'Scripted' ? [] : modelTroubles(agent.spec.models, today()))
    output.note(`           ${trouble}`, 'Warning');
  output.note(
    `sandbox    ${isIsolated ? description : `none, so tools that run code refuse: ${description}`}`,
    isIsolated ? 'Plain' : 'Warning',
  );
  output.note(`record     ${dataDirectory}${isFirstRun ? ' (new)' : ' (goes on from an earlier start)'}`);
  if (copied > 0) output.note(`workspace  ${copied} file${copied === 1 ? '' : 's'} copied from the manifests`);
  if (selection.tasks.length === 0) output.note('tasks      none names this Agent', 'Warning');
  for (const line of renderNotYetWarnings(warnings)) output.note(line);
  output.note('');
}

function tellPersona(output: Output, { confidential, persona }: Selection['definition']['character']['spec']): void {
  if (confidential !== true && looksSecret(persona))
    output.note(
      '           its persona holds what looks like a secret: set confidential: true, or take it out',
      'Warning',
    );
}

/** YYYY-MM-DD. */
function today(): string {
  return new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
}

interface Work {
  readonly flags: RunFlags;
  readonly session: Session;
  readonly selection: Selection;
  readonly watch: ManifestWatch;
}

/** Closes the session whatever the work's result, so that the lock is free and the process can end. */
async function closing(
  { session, auditor }: { readonly session: Session; readonly auditor: LocalAuditor | undefined },
  work: () => Promise<TasksEnd>,
): Promise<TasksEnd & { readonly code: number | undefined }> {
  let code: number | undefined;
  let end: TasksEnd;
  try {
    end = await work();
  } finally {
    code = await session.close();
    // Last: it keeps the ends that the agent left.
    await auditor?.stop();
  }
  return { ...end, code };
}

/** @param onNews  gets the results of the Tasks: once, and after each change */
async function runAll(work: Work, onNews: (results: readonly TaskResult[]) => void): Promise<TasksEnd> {
  const { flags, session, selection } = work;
  const over = new AbortController();
  const signal = AbortSignal.any([session.signal, over.signal]);
  const staysUp = flags.watch === true;
  const board = new TaskBoard(selection.tasks.filter(runsOnce));
  const onIdle = (news: readonly TaskResult[]): void => {
    onNews(news);
    if (!staysUp) return;
    session.output.note('watching the manifests and the spool; Ctrl-C stops', 'Quiet');
    session.jobs.tellNext(Date.now());
  };
  const running = runTasks({ ...session.running, board, staysUp, onIdle, signal });
  if (!staysUp) {
    const end = await running;
    if (!end.isUnfinished) await archived(session);
    if (!signal.aborted) session.jobs.tellNext(Date.now());
    return end;
  }
  const following = followManifests(work, board, signal);
  try {
    await Promise.race([running, following]);
    return await running;
  } finally {
    // If one of the two fails, the other ends before the record is closed.
    over.abort();
    await Promise.allSettled([running, following]);
  }
}

/** A schedule makes Tasks of its own, at its moments. */
function runsOnce({ spec }: Task): boolean {
  return spec.schedule === undefined;
}

/** What is remembered of a run is written after its reply; the next start goes on where this one stops. */
async function archived({ agent, output, signal }: Session): Promise<void> {
  const written = agent.runtime.archived();
  const slow = new AbortController();
  const note = sleep(SLOW_ARCHIVE_MS, undefined, { signal: slow.signal }).then(
    () => output.note('the Archivist writes what to remember; Ctrl-C leaves that to the next start', 'Quiet'),
    () => undefined,
  );
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  if (!signal.aborted) await Promise.race([written, stopped]);
  slow.abort();
  await note;
}

/** Applies changes of the manifests, also while Tasks run. */
async function followManifests({ flags, session, watch }: Work, board: TaskBoard, signal: AbortSignal): Promise<void> {
  for (;;) {
    await watch.changed(signal);
    if (signal.aborted) return;
    const selection = await readSelection(flags, session.output, 'the agent works on with what it read before');
    if (selection === undefined) continue;
    await session.takeChanges(selection);
    board.replace(selection.tasks.filter(runsOnce));
  }
}

interface Finish {
  readonly flags: RunFlags;
  readonly output: Output;
  readonly selection: Selection;
  readonly dataDirectory: string;
  readonly session: Session;
  readonly results: readonly TaskResult[];
  readonly isUnfinished: boolean;
  readonly code: number | undefined;
  readonly isStopped: boolean;
  readonly warnings: readonly NotYetWarning[];
}

async function finish(end: Finish): Promise<number> {
  const { flags, output, selection, dataDirectory, session, results } = end;
  const verification = await verifyRecord(join(dataDirectory, 'journal'));
  tellVerification(output, verification);
  const code = codeOf(end, isSound(verification));
  tellFurther(end);
  output.data({
    agent: selection.definition.agent.metadata.name,
    model: session.choice.provider,
    dataDirectory,
    tasks: results,
    ...session.jobs.data(),
    warnings: end.warnings,
    verification: { isSound: isSound(verification), ...verification },
    exitCode: code,
  });
  if (code === exitCodes.interrupted) {
    output.note(
      `stopped; the same command continues from ${dataDirectory}${flags.watch === true ? '' : ' and finishes the open work'}`,
      'Warning',
    );
  }
  return code;
}

function tellVerification(output: Output, verification: Verification): void {
  const { records, stores, durationMs, faults, directory } = verification;
  output.line('');
  if (isSound(verification)) {
    const what = `${renderPlural(records, 'record')} in ${renderPlural(stores.length, 'store')}`;
    output.line(`record   verified: ${what}, every hash and link is correct (${durationMs.toFixed(0)} ms)`, 'Good');
    return;
  }
  output.line('record   damaged:', 'Bad');
  for (const fault of faults.slice(0, FAULTS_SHOWN)) output.line(`         ${renderFault(fault, directory)}`, 'Bad');
}

function codeOf({ flags, results, isUnfinished, code, isStopped }: Finish, isSound: boolean): number {
  if (code !== undefined) return code;
  if (!isSound) return exitCodes.record;
  if (isStopped && (isUnfinished || flags.watch !== true)) return exitCodes.interrupted;
  return exitCodeOf(results.map(codedEnd), flags.strict === true);
}

function tellFurther({ output, dataDirectory, results }: Finish): void {
  const [some] = results.filter((it) => it.runId !== undefined);
  output.line(`trail    ${join(dataDirectory, 'journal')} (append-only, hash-chained)`);
  if (some === undefined) return;
  output.line(`further  npx retainer explain ${some.task} --data ${dataDirectory}`, 'Quiet');
  output.line(`         npx retainer replay ${some.task} --data ${dataDirectory}`, 'Quiet');
  output.line(`         npx retainer journal verify ${join(dataDirectory, 'journal')}`, 'Quiet');
  const ended = results.filter(({ end, conclusion }) => conclusion !== undefined && BEGINS_ANEW.has(end));
  for (const { task } of ended)
    output.line(`again    npx retainer retry ${task} --reason TEXT --data ${dataDirectory}, then the same command`);
}
