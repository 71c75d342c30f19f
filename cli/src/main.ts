/** The command line: all commands and their arguments. The modules of a command are loaded when it is called. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { addAudit } from './add-audit.ts';
import { addCalculus } from './add-calculus.ts';
import { addFiles } from './add-files.ts';
import { addJournal } from './add-journal.ts';
import { addSkill } from './add-skill.ts';
import { addRollout } from './add-rollout.ts';
import { addGate } from './add-gate.ts';
import { addImport } from './add-import.ts';
import { addMemory } from './add-memory.ts';
import {
  dataOption,
  examples,
  gathered,
  outputOption,
  withCluster,
  withPlace,
  type Finish,
} from './command-options.ts';
import { exitCodeLines, exitCodes } from './exit-codes.ts';
import { readEnvironment } from './config.ts';
import type { AnswerFlags } from './commands/answer.ts';
import type { OverrideFlags } from './commands/override.ts';
import { addCancel } from './add-cancel.ts';
import { addTask } from './add-task.ts';
import type { ApproveFlags } from './commands/approve.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import type { CostFlags } from './commands/cost.ts';
import type { ExplainFlags } from './commands/explain.ts';
import type { InstallFlags } from './commands/install.ts';
import type { ReplayFlags } from './commands/replay.ts';
import { modelFlags } from './choose-model.ts';
import type { RunFlags } from './commands/run.ts';
import { programVersion } from '@retainer/agent-pod/boot/program-version';

/** Runs one command. @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = exitCodes.done;
  const program = makeProgram((end) => {
    code = end;
  });
  try {
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { text, code: failed } = failureOf(error);
    process.stderr.write(`retainer: ${text}\n`);
    return failed;
  }
}

/** Errors that are no bug, by name: their message names the remedy. */
const expectedErrors: Readonly<Record<string, number>> = {
  AccessError: exitCodes.usage,
  ApiError: exitCodes.failed,
  ConnectionError: exitCodes.failed,
  JournalCorruptError: exitCodes.record,
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
    .addHelpText('after', `\nExit codes:\n${exitCodeLines.map((line) => `  ${line}`).join('\n')}\n`);
  addRun(program, finish);
  addExplain(program, finish);
  addCost(program, finish);
  addReplay(program, finish);
  addAudit(program, finish);
  addJournal(program, finish);
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
    .action(async (flags: RunFlags) => {
      const { runCommand } = await import('./commands/run.ts');
      finish(await runCommand(flags));
    });
}

function addExplain(program: Command, finish: Finish): void {
  withPlace(program.command('explain'))
    .argument('[run]', 'run id, Task name, or the beginning of an id; without it, list the runs')
    .description('tell the story of a run from its record: every decision with its numbers')
    .option('--full', 'with prompts, arguments, outputs and replies')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer explain',
        'retainer explain rainiest-day --data .retainer/examples',
        'retainer explain rainiest-day --full | less',
        'retainer explain rainiest-day -n weather',
      ]),
    )
    .action(async (run: string | undefined, flags: ExplainFlags) => {
      const { explainCommand } = await import('./commands/explain.ts');
      finish(await explainCommand(run, flags));
    });
}

function addCost(program: Command, finish: Finish): void {
  withPlace(program.command('cost'))
    .argument('[run]', 'run id, Task name, or the beginning of an id; without it, all runs together')
    .description('tell what a run cost: tokens and money by role and by purpose, and with other models')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer cost', 'retainer cost rainiest-day --data .retainer/examples', 'retainer cost -o json']),
    )
    .action(async (run: string | undefined, flags: CostFlags) => {
      const { costCommand } = await import('./commands/cost.ts');
      finish(await costCommand(run, flags));
    });
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
    .action(async (run: string, flags: ReplayFlags) => {
      const { replayCommand } = await import('./commands/replay.ts');
      finish(await replayCommand(run, flags));
    });
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
    .action(async (request: string | undefined, flags: ApproveFlags) => {
      const { approveCommand } = await import('./commands/approve.ts');
      finish(await approveCommand(request, flags));
    });
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
    .action(async (task: string, flags: OverrideFlags) => {
      const { overrideCommand } = await import('./commands/override.ts');
      finish(await overrideCommand(task, flags));
    });
}

function addAnswer(program: Command, finish: Finish): void {
  withPlace(program.command('answer'))
    .argument('[run]', 'run id, Task name, or the beginning of an id; without it, list all open questions')
    .argument('[text]', 'the answer')
    .description('answer the open question of a run')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer answer', 'retainer answer yearly-report "of the year 2014" -n weather']))
    .action(async (run: string | undefined, text: string | undefined, flags: AnswerFlags) => {
      const { answerCommand } = await import('./commands/answer.ts');
      finish(await answerCommand(run, text, flags));
    });
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
    .action(async (flags: InstallFlags) => {
      const { installCommand } = await import('./commands/install.ts');
      finish(await installCommand(flags));
    });
}

function addDoctor(program: Command, finish: Finish): void {
  withCluster(program.command('doctor'))
    .description('report the faults of an installation and their fixes; changes nothing')
    .option('--system-namespace <name>', 'namespace of the operator', SYSTEM_NAMESPACE)
    .option(
      '-n, --namespace <name>',
      'agents and Tasks of this namespace only (default: all namespaces of the operator)',
    )
    .option('--agent <name>', 'only this Agent and its objects')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer doctor', 'retainer doctor --agent ada -n weather', 'retainer doctor -o json | jq .findings']),
    )
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import('./commands/doctor.ts');
      finish(await doctorCommand(flags));
    });
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };

function seconds(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,5})([smh]?)$/.exec(text) ?? [];
  if (amount === '') throw new InvalidArgumentError('Give a duration such as 90s, 5m or 0.');
  return Number(amount) * (UNIT_SECONDS[unit] ?? 1);
}
