/** Declares `retainer rollout` on the command line: its arguments and its help. */
import type { Command } from 'commander';
import { examples, outputOption, withCluster, type Finish } from './command-options.ts';

export function addRollout(program: Command, finish: Finish): void {
  const rollout = program.command('rollout').description('how a release reaches the agents of a cluster, in waves');
  const add = (name: string, description: string, right: string): Command =>
    withCluster(rollout.command(name))
      .description(description)
      .option('--system-namespace <name>', 'namespace of the operator', 'retainer-system')
      .addOption(outputOption())
      .addHelpText(
        'after',
        `\nNeeds the right to ${right} the ConfigMap retainer-rollout there.\n${examples([`retainer rollout ${name}`, `retainer rollout ${name} -o json`])}`,
      );
  add('status', 'tell how far a release has come; exits with 4 if it is halted', 'get').action(
    finish(async () => (await import('./commands/rollout.ts')).rolloutStatusCommand),
  );
  add('resume', 'end a halt: the same release begins again with one agent', 'get and patch').action(
    finish(async () => (await import('./commands/rollout.ts')).rolloutResumeCommand),
  );
}
