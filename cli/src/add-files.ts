/** Declares `retainer files` on the command line: its arguments and its help. */
import type { Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';

export function addFiles(program: Command, finish: Finish): void {
  const files = program.command('files').description('the files of the workspace: whom the agent believes, and why');
  const path = ['<path>', 'a file, relative to the workspace'] as const;
  withPlace(files.command('list'))
    .description('list the files with their label, and who wrote them')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer files list', 'retainer files list -o json | jq .files']))
    .action(finish(async () => (await import('./commands/files.ts')).listCommand));
  withPlace(files.command('trace'))
    .argument(...path)
    .description('tell who wrote a file, from its first record to what stands there now')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer files trace report/summary.md']))
    .action(finish(async () => (await import('./commands/files.ts')).traceCommand));
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
    .action(finish(async () => (await import('./commands/files.ts')).trustCommand));
}
