/** Declares `retainer files` on the command line: its arguments and its help. */
import type { Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';
import type { FilesFlags, TrustFlags } from './commands/files.ts';

export function addFiles(program: Command, finish: Finish): void {
  const files = program.command('files').description('the files of the workspace: whom the agent believes, and why');
  const path = ['<path>', 'a file, relative to the workspace'] as const;
  withPlace(files.command('list'))
    .description('list the files with their label, and who wrote them')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer files list', 'retainer files list -o json | jq .files']))
    .action(async (flags: FilesFlags) => {
      const { listCommand } = await import('./commands/files.ts');
      finish(await listCommand(flags));
    });
  withPlace(files.command('trace'))
    .argument(...path)
    .description('tell who wrote a file, from its first record to what stands there now')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer files trace report/summary.md']))
    .action(async (given: string, flags: FilesFlags) => {
      const { traceCommand } = await import('./commands/files.ts');
      finish(await traceCommand(given, flags));
    });
  withPlace(files.command('trust'))
    .argument(...path)
    .description('let the agent believe a file as it stands now; a later change ends it')
    .option('--revoke', 'let the agent believe it no longer')
    .requiredOption('--reason <text>', 'the reason, which is recorded')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer files trust data/sales.csv --reason "exported it myself"',
        'retainer files trust data/sales.csv --revoke --reason "not sure any more"',
      ]),
    )
    .action(async (given: string, flags: TrustFlags) => {
      const { trustCommand } = await import('./commands/files.ts');
      finish(await trustCommand(given, flags));
    });
}
