/** The command line: which commands there are and what they take. What a command needs is loaded when it is called. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { exitCodeLines, exitCodes } from './exit-codes.ts';
import type { RunFlags } from './commands/run.ts';

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
    process.stderr.write(`retainer: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.failed;
  }
}

type Finish = (code: number) => void;

function makeProgram(finish: Finish): Command {
  const program = new Command('retainer')
    .description('Auditable, long-lived agents: run them here, read their record, replay it, answer them.')
    .version(version(), '-V, --version')
    .showHelpAfterError('(retainer --help tells what there is)')
    .exitOverride()
    .addHelpText('after', `\nExit codes:\n${exitCodeLines.map((line) => `  ${line}`).join('\n')}\n`);
  addRun(program, finish);
  return program;
}

function addRun(program: Command, finish: Finish): void {
  program
    .command('run')
    .description('run an agent and its Tasks on this machine, from the manifests that a cluster takes')
    .requiredOption('-f, --filename <path...>', 'manifest files, or directories of them')
    .option('--data <dir>', 'where record and workspace are kept (default: .retainer/AGENT)')
    .option('--agent <name>', 'which Agent, when the manifests have several')
    .option('--watch', 'stay up: take new Tasks from changed manifests, and commands from the spool')
    .addOption(
      new Option('--model <who>', 'who answers, whatever the Agent and the environment say').choices([
        'scripted',
        'claude',
      ]),
    )
    .option('--strict', 'exit with 3 when a Task was refused')
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

function outputOption(): Option {
  return new Option('-o, --output <format>', 'for people or for programs').choices(['text', 'json']).default('text');
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
