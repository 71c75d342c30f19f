/** Declares `retainer task continue` and `retainer task cancel`: what becomes of a Task that waits under a changed character. */
import type { Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';
import type { CancelFlags } from './commands/approve.ts';

export function addTask(program: Command, finish: Finish): void {
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
    .action(async (run: string, flags: CancelFlags) => {
      const { continueCommand } = await import('./commands/approve.ts');
      finish(await continueCommand(run, flags));
    });
  withPlace(task.command('cancel'))
    .argument('<task>', 'Task name, run id, or the beginning of an id')
    .description('end it')
    .option('--reason <text>', 'the reason, which is recorded', 'its character has changed')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer task cancel rainiest-day', 'retainer task cancel rainiest-day -n weather']),
    )
    .action(async (run: string, flags: CancelFlags) => {
      const { cancelCommand } = await import('./commands/approve.ts');
      finish(await cancelCommand(run, flags));
    });
}
