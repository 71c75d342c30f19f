/** Declares the commands of `retainer memory` about its second copy: their arguments and their help. */
import type { Command } from 'commander';
import { dataOption, examples, outputOption, withPlace, type Finish } from './command-options.ts';

/** @param memory  the command `memory` */
export function addMemoryBackup(memory: Command, finish: Finish): void {
  addBackup(memory, finish);
  addLog(memory, finish);
  addDiff(memory, finish);
  addRestore(memory, finish);
  addBundle(memory, finish);
}

function addBackup(memory: Command, finish: Finish): void {
  withPlace(memory.command('backup'))
    .description('commit the data directory to its git repository now; on a cluster the agent makes its own')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory backup', 'retainer memory backup --data .retainer/examples']))
    .action(finish(async () => (await import('./commands/memory-backup.ts')).backupCommand));
}

function withRepository(command: Command): Command {
  return withPlace(command).option(
    '--repository <dir>',
    'a clone of the repository (default: git in the data directory)',
  );
}

function addLog(memory: Command, finish: Finish): void {
  withRepository(memory.command('log'))
    .description('list the commits, the newest first: their time, the runs that had ended, where the stores ended')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer memory log',
        'retainer memory log -n weather',
        'retainer memory log --repository clone.git -o json',
      ]),
    )
    .action(finish(async () => (await import('./commands/memory-backup.ts')).logCommand));
}

function addDiff(memory: Command, finish: Finish): void {
  withRepository(memory.command('diff'))
    .argument('<older>', 'a commit, or a moment such as 2026-01-31T08:00:00Z')
    .argument('[newer]', 'the same (default: the last commit)')
    .description('tell what came between two commits: records by store and kind, files')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer memory diff 2026-01-31', 'retainer memory diff 1f0c2a9b 77aa01c2 -o json']),
    )
    .action(finish(async () => (await import('./commands/memory-backup.ts')).diffCommand));
}

function addRestore(memory: Command, finish: Finish): void {
  withRepository(memory.command('restore'))
    .description('rebuild a data directory as a commit has it, and verify it')
    .requiredOption('--at <moment|commit>', 'a commit; or a moment: then the newest commit that is not later')
    .requiredOption('--to <newdir>', 'the new data directory; nothing may be in it')
    .option('--heads <dir>', 'the own directory of an auditor: compare the heads that it keeps')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer memory restore --at 2026-01-31T08:00:00Z --to restored',
        'retainer memory restore -n weather --at 2026-01-31T08:00:00Z --to restored',
        'retainer memory restore --repository clone.git --at 1f0c2a9b --to restored --heads .retainer/examples/auditor',
      ]),
    )
    .action(finish(async () => (await import('./commands/memory-backup.ts')).restoreCommand));
}

/** Hidden: `restore` calls it in the pod of an agent. */
function addBundle(memory: Command, finish: Finish): void {
  memory
    .command('bundle', { hidden: true })
    .description('print the repository as a bundle of git')
    .addOption(dataOption())
    .addOption(outputOption())
    .action(finish(async () => (await import('./commands/memory-backup.ts')).bundleCommand));
}
