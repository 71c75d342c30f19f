/** Declares `retainer cancel` and `retainer retry` on the command line. */
import type { Command } from 'commander';
import { dataOption, examples, outputOption, withPlace, type Finish } from './command-options.ts';
import type { CancelFlags, RetryFlags } from './commands/approve.ts';

export function addCancel(program: Command, finish: Finish): void {
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
    .action(async (run: string, flags: CancelFlags) => {
      const { cancelCommand } = await import('./commands/approve.ts');
      finish(await cancelCommand(run, flags));
    });
  program
    .command('retry')
    .argument('<run>', 'run id, Task name, or the beginning of an id; or the id of a command that was set aside')
    .description('try a run or a command again that was set aside because the program failed in it')
    .addOption(dataOption())
    .requiredOption('--reason <text>', 'the reason, which is recorded')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer retry rainiest-day --reason "with more memory"']))
    .action(async (run: string, flags: RetryFlags) => {
      const { retryCommand } = await import('./commands/approve.ts');
      finish(await retryCommand(run, flags));
    });
}
