/** The command line: all commands and their arguments. The modules of a command are loaded when it is called. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { addAudit } from './add-audit.ts';
import { addBackup, addRestore } from './add-backup.ts';
import { addCalculus } from './add-calculus.ts';
import { addCost, addExplain } from './add-explain.ts';
import { addFiles } from './add-files.ts';
import { addJournal } from './add-journal.ts';
import { addGate } from './add-gate.ts';
import { addJobs } from './add-jobs.ts';
import { addMail } from './add-mail.ts';
import { addMemory } from './add-memory.ts';
import { addRollout } from './add-rollout.ts';
import { addState } from './add-state.ts';
import { addWork } from './add-work.ts';
import {
  dataOption,
  examples,
  gathered,
  outputOption,
  withCluster,
  withPlace,
  type Finish,
} from './command-options.ts';
import { endOutput, type EndedCommand } from './end-output.ts';
import { exitCodeLines, exitCodes } from './exit-codes.ts';
import { readEnvironment } from './config.ts';
import { modelFlags } from './choose-model.ts';
import { standard } from './standard-stream.ts';
import { surviveTerminal } from './terminals.ts';
import { programVersion } from '@retainer/agent-pod/boot/program-version';

/** Runs one command, and waits until its output is written. @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  surviveTerminal();
  let code: number = exitCodes.done;
  let called = new Command();
  const program = makeProgram((load) => async (...given) => {
    const run = await load();
    code = await run(...given);
  });
  program.hook('preAction', (_, command) => {
    called = command;
  });
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    code = codeOfFailure(error);
  }
  return endOutput({ ...calledAs(called), code }, standard);
}

function codeOfFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const { text, code } = failureOf(error);
  standard.err.write(`retainer: ${text}\n`);
  return code;
}

function calledAs(command: Command): Omit<EndedCommand, 'code'> {
  const words: string[] = [];
  for (let at: Command | null = command; at !== null && at.parent !== null; at = at.parent) words.unshift(at.name());
  const isForPeople = command.opts<{ readonly output?: string }>().output !== 'json';
  return { words: words.join(' '), hasArguments: command.args.length > 0, isForPeople };
}

/** Errors that are no bug, by name: their message names the remedy. */
const expectedErrors: Readonly<Record<string, number>> = {
  AccessError: exitCodes.usage,
  ApiError: exitCodes.failed,
  ConnectionError: exitCodes.failed,
  JournalCorruptError: exitCodes.record,
  MissingPartError: exitCodes.record,
  OpeningRefusedError: exitCodes.record,
  NewerRecordError: exitCodes.record,
  JournalClosedError: exitCodes.failed,
  LockUnavailableError: exitCodes.failed,
  LockHeldError: exitCodes.held,
};

/** An error of the operating system needs only its message; a bug needs its stack. */
function failureOf(error: unknown): { readonly text: string; readonly code: number } {
  if (!(error instanceof Error)) return { text: String(error), code: exitCodes.failed };
  const code = expectedErrors[error.name];
  if (code !== undefined) return { text: error.message, code };
  const isSystemError = 'syscall' in error && 'code' in error;
  return { text: isSystemError ? error.message : (error.stack ?? error.message), code: exitCodes.failed };
}

function makeProgram(finish: Finish): Command {
  const program = new Command(readEnvironment().caller.program)
    .description(
      'Auditable, long-lived agents: run them here or on a cluster, read their record, replay it, answer them.',
    )
    .version(programVersion(), '-V, --version')
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => standard.out.write(text),
      writeErr: (text) => standard.err.write(text),
    })
    .addHelpText('after', `\nExit codes:\n${exitCodeLines.map((line) => `  ${line}`).join('\n')}\n`);
  addRun(program, finish);
  addExplain(program, finish);
  addCost(program, finish);
  addReplay(program, finish);
  addAudit(program, finish);
  addJournal(program, finish);
  addBackup(program, finish);
  addRestore(program, finish);
  addApprove(program, finish);
  addOverride(program, finish);
  addAnswer(program, finish);
  addCancel(program, finish);
  addTask(program, finish);
  addInstall(program, finish);
  addDoctor(program, finish);
  addRollout(program, finish);
  addCalculus(program, finish);
  addGate(program, finish);
  addFiles(program, finish);
  addSkill(program, finish);
  addMemory(program, finish);
  addJobs(program, finish);
  addMail(program, finish);
  addWork(program, finish);
  addState(program, finish);
  addImport(program, finish);
  return program;
}

function addRun(program: Command, finish: Finish): void {
  program
    .command('run')
    .description('run an agent and its Tasks on this machine, from the same manifests as on a cluster')
    .requiredOption('-f, --filename <path...>', 'manifest files, or directories of them')
    .option('--data <dir>', 'directory for record and workspace (default: .retainer/AGENT)')
    .option('--agent <name>', 'the Agent, if the manifests have several')
    .option('--watch', 'keep running: take new Tasks from changed manifests, and commands from the spool')
    .addOption(
      new Option('--model <who>', 'who answers instead of what the Agent says; auto: Claude if there is a key').choices(
        modelFlags,
      ),
    )
    .option('--strict', 'exit with 3 if a Task was refused')
    .option('--no-auditor', 'start no auditor beside the agent')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer run -f manifests/examples',
        'retainer run -f agent.yaml tasks/ --data /var/lib/ada --watch',
        'retainer run -f manifests/examples --model scripted -o json',
      ]),
    )
    .action(finish(async () => (await import('./commands/run.ts')).runCommand));
}

function addReplay(program: Command, finish: Finish): void {
  program
    .command('replay')
    .argument('<run>', 'run id, Task name, or the beginning of an id')
    .description(
      'replay a run offline from its recorded answers and check that every decision is the same, byte for byte',
    )
    .addOption(dataOption())
    .option(
      '--alter <change...>',
      'change recorded answers first: SEQ:PATH=VALUE in the store cycle, or STORE/SEQ:PATH=VALUE',
    )
    .option('--character <file>', 'use the gates of this CharacterSpec, and show the decisions that would differ')
    .option(
      '--set <setting...>',
      'use another setting of the control loop, control.PATH=VALUE, and show the rounds that would differ',
    )
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer replay rainiest-day',
        'retainer replay rainiest-day --alter 4:answer.content.0.text=no',
        'retainer replay rainiest-day --character stricter.yaml',
        'retainer replay rainiest-day --set control.thresholds.delta=0.2 --set control.maxReplans=1',
      ]),
    )
    .action(finish(async () => (await import('./commands/replay.ts')).replayCommand));
}

function addApprove(program: Command, finish: Finish): void {
  withPlace(program.command('approve'))
    .argument('[request]', 'id of the request; without it, list all open requests')
    .description('approve or deny a call that waits for a person; the decision covers exactly its arguments')
    .option('--deny', 'deny the call')
    .option('--reason <text>', 'the reason, recorded with the decision')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer approve',
        'retainer approve tidy-notes-1a2b3c-c1-t2-a --reason "read it, is fine"',
        'retainer approve tidy-notes-1a2b3c-c1-t2-a --deny --reason "not today"',
        'retainer approve -n weather',
      ]),
    )
    .action(finish(async () => (await import('./commands/approve.ts')).approveCommand));
}

function addOverride(program: Command, finish: Finish): void {
  withPlace(program.command('override'))
    .argument('<task>', 'name of the refused Task')
    .description('print a Task that overrules a refusal; when a principal applies it, it overrules this refusal once')
    .option(
      '-f, --filename <path...>',
      'manifests with the refused Task (default: the Task on the cluster that the options name)',
    )
    .requiredOption('--reason <text>', 'the reason, recorded with every verdict that it changes')
    .option('--rule <id>', 'the rule that must have refused; another one is an error')
    .option('--name <name>', 'name of the new Task (default: the old name with -again)')
    .option('--by <user>', 'your name; on a cluster, your user name at the API server')
    .addHelpText(
      'after',
      examples([
        'retainer override read-mail -f manifests --reason "the mail only quotes an attack" > again.json',
        'retainer override read-mail -n weather --reason "the mail quotes an attack" | kubectl apply -f -',
      ]),
    )
    .action(finish(async () => (await import('./commands/override.ts')).overrideCommand));
}

function addAnswer(program: Command, finish: Finish): void {
  withPlace(program.command('answer'))
    .argument('[run]', 'run id, Task name, or the beginning of an id; without it, list all open questions')
    .argument('[text]', 'the answer')
    .description('answer the open question of a run')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer answer', 'retainer answer yearly-report "of the year 2014" -n weather']))
    .action(finish(async () => (await import('./commands/answer.ts')).answerCommand));
}

/** Default namespace of an installation. */
const SYSTEM_NAMESPACE = 'retainer-system';
/** Three times the duration of pulling the images in a cold cluster. */
const WAIT_SECONDS = 300;

function addInstall(program: Command, finish: Finish): void {
  withCluster(program.command('install'))
    .description('install Retainer into a cluster with helm, or upgrade it, and wait until it is ready')
    .option('-n, --namespace <name>', 'namespace of the operator; created if it does not exist', SYSTEM_NAMESPACE)
    .option('--release <name>', 'name of the helm release', 'retainer')
    .option('-f, --values <file>', 'values file of the chart; repeatable, the later file wins', gathered)
    .option('--set <path=value>', 'one value of the chart, in the form of helm --set; repeatable', gathered)
    .option('--registry <host>', 'registry of all images')
    .option('--tag <tag>', 'tag of all three images (default: the version of the chart)')
    .option('--reset-values', 'drop the values of earlier installations')
    .option(
      '--wait <duration>',
      'maximum wait until it is ready, such as 90s or 5m; 0 for no wait',
      seconds,
      WAIT_SECONDS,
    )
    .option('--dry-run', 'print the manifests and change nothing; needs no cluster')
    .addHelpText(
      'after',
      examples([
        'retainer install',
        'retainer install --registry registry.example.com --tag 0.1.0 --values ours.yaml',
        "retainer install --set 'watchNamespaces={team-a,team-b}' --dry-run | less",
      ]),
    )
    .action(finish(async () => (await import('./commands/install.ts')).installCommand));
}

function addDoctor(program: Command, finish: Finish): void {
  withCluster(program.command('doctor'))
    .description('report the faults of an installation and their fixes; changes nothing')
    .option('--system-namespace <name>', 'namespace of the operator', SYSTEM_NAMESPACE)
    .option(
      '-n, --namespace <name>',
      'agents and Tasks of this namespace only (default: all namespaces of the operator)',
    )
    .option('--agent <name>', 'only this Agent and its objects; tries its mail servers, if it has mail')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer doctor', 'retainer doctor --agent ada -n weather', 'retainer doctor -o json | jq .findings']),
    )
    .action(finish(async () => (await import('./commands/doctor.ts')).doctorCommand));
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };

function seconds(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,5})([smh]?)$/.exec(text) ?? [];
  if (amount === '') throw new InvalidArgumentError('Give a duration such as 90s, 5m or 0.');
  return Number(amount) * (UNIT_SECONDS[unit] ?? 1);
}

function addCancel(program: Command, finish: Finish): void {
  withPlace(program.command('cancel'))
    .argument('<run>', 'run id, Task name, or the beginning of an id; or the id of a command that was set aside')
    .description('stop a run, or drop a command that was set aside')
    .requiredOption('--reason <text>', 'the reason, which is recorded')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer cancel rainiest-day --reason "asked the wrong question"',
        'retainer cancel rainiest-day -n weather --reason "asked the wrong question"',
      ]),
    )
    .action(finish(async () => (await import('./commands/approve.ts')).cancelCommand));
  program
    .command('retry')
    .argument('<run>', 'run id, Task name, or the beginning of an id; or the id of a command that was set aside')
    .description(
      'try again what was set aside because the program failed in it, or begin the work of an ended run anew',
    )
    .addOption(dataOption())
    .requiredOption('--reason <text>', 'the reason, which is recorded')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer retry rainiest-day --reason "with more memory"']))
    .action(finish(async () => (await import('./commands/approve.ts')).retryCommand));
}

/** What becomes of a Task that waits under a changed character. */
function addTask(program: Command, finish: Finish): void {
  const task = program.command('task').description('decide about a Task that waits, because the character has changed');
  withPlace(task.command('continue'))
    .argument('<task>', 'Task name, run id, or the beginning of an id')
    .description('let it go on under the changed character')
    .option('--reason <text>', 'the reason, which is recorded', 'a person lets it go on')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer task continue rainiest-day', 'retainer task continue rainiest-day -n weather']),
    )
    .action(finish(async () => (await import('./commands/approve.ts')).continueCommand));
  withPlace(task.command('cancel'))
    .argument('<task>', 'Task name, run id, or the beginning of an id')
    .description('end it')
    .option('--reason <text>', 'the reason, which is recorded', 'its character has changed')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer task cancel rainiest-day', 'retainer task cancel rainiest-day -n weather']),
    )
    .action(finish(async () => (await import('./commands/approve.ts')).cancelCommand));
}

function addSkill(program: Command, finish: Finish): void {
  const skill = program.command('skill').description('procedures that agents may follow');
  skill
    .command('add')
    .argument('<path>', 'a SKILL.md as published, or the directory that holds one')
    .description('print the manifest of a skill, to apply or to keep')
    .option('--name <name>', 'its name (default: that of its front matter)')
    .option('-n, --namespace <namespace>', 'namespace of the manifest (default: none)')
    .option('--skill-version <version>', 'its version (default: that of its front matter, or 1.0.0)')
    .addHelpText(
      'after',
      `
The manifest goes to standard output; what a Skill has no place for is told on standard error.
${examples(['retainer skill add pdf-tools/ | kubectl apply -n team -f -', 'retainer skill add SKILL.md > manifests/pdf.yaml'])}`,
    )
    .action(finish(async () => (await import('./commands/skill.ts')).skillAddCommand));
}

function addImport(program: Command, finish: Finish): void {
  program
    .command('import')
    .description('take over what another system remembered, as untrusted words, each entry once')
    .command('springdrift')
    .argument('<dir>', 'directory of its logs, with narrative/DAY.jsonl in it or below memory/')
    .description('take over the narrative of the system that the paper describes')
    .addOption(dataOption())
    .option('--reason <text>', 'the reason, which is recorded', 'its narrative is taken over')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer import springdrift /backup/curragh --data .retainer/ada']))
    .action(finish(async () => (await import('./commands/import.ts')).importCommand));
}
