/** Declares `retainer backup` and `retainer restore`: their arguments and their help. */
import type { Command } from 'commander';
import { dataOption, examples, outputOption, withPlace, type Finish } from './command-options.ts';

export function addBackup(program: Command, finish: Finish): void {
  const backup = program
    .command('backup')
    .description('the second copy of a data directory, in a git repository: make it, read it, verify it');
  addNow(backup, finish);
  addLog(backup, finish);
  addDiff(backup, finish);
  addShow(backup, finish);
  addVerify(backup, finish);
  addBundle(backup, finish);
  addPlace(backup, finish);
}

function addNow(backup: Command, finish: Finish): void {
  withPlace(backup.command('now'))
    .description('commit the data directory to its repository now; on a cluster the agent makes its own commits')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer backup now', 'retainer backup now --data .retainer/examples']))
    .action(finish(async () => (await import('./commands/backup.ts')).nowCommand));
}

const WHICH =
  'a commit; a moment such as 2026-01-31T08:00:00Z or 2026-01-31, in UTC unless it names a zone, a day from its beginning; or the order of a record, digits alone';

function withRepository(command: Command): Command {
  return withPlace(command)
    .option('--repository <dir>', 'a clone of the repository, bare or not (default: git in the data directory)')
    .option('--branch <name>', 'branch of a clone (default: the one that is checked out, else main)');
}

function addLog(backup: Command, finish: Finish): void {
  withRepository(backup.command('log'))
    .description('list the commits, the newest first: when, up to which order of the record, what happened')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer backup log',
        'retainer backup log -n weather',
        'retainer backup log --repository clone.git -o json',
      ]),
    )
    .action(finish(async () => (await import('./commands/backup.ts')).logCommand));
}

function addDiff(backup: Command, finish: Finish): void {
  withRepository(backup.command('diff'))
    .argument('<older>', WHICH)
    .argument('[newer]', 'the same (default: the newest commit)')
    .description('tell what came between two commits: records by store and kind, files')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer backup diff 2026-01-31', 'retainer backup diff 1f0c2a9b 77aa01c2 -o json']),
    )
    .action(finish(async () => (await import('./commands/backup.ts')).diffCommand));
}

function addShow(backup: Command, finish: Finish): void {
  withRepository(backup.command('show'))
    .argument('[commit]', `${WHICH} (default: the newest commit)`)
    .description('tell one commit: when, what happened, its runs, and the records and files that it added')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer backup show',
        'retainer backup show 1f0c2a9b',
        'retainer backup show 2026-01-31T08:00:00Z -n weather -o json',
      ]),
    )
    .action(finish(async () => (await import('./commands/backup.ts')).showCommand));
}

const HEADS = 'the own directory of an auditor: compare the heads that it keeps';

function addVerify(backup: Command, finish: Finish): void {
  withRepository(backup.command('verify'))
    .argument('[commit]', `${WHICH} (default: the newest commit)`)
    .description('rebuild a commit in a temporary directory and check it: every object, record, link, blob and head')
    .option('--heads <dir>', HEADS)
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer backup verify',
        'retainer backup verify 1f0c2a9b --repository clone.git --heads .retainer/examples/auditor',
        'retainer backup verify -n weather',
      ]),
    )
    .action(finish(async () => (await import('./commands/backup-verify.ts')).backupVerifyCommand));
}

/** Hidden: `backup verify` and `restore` call it in the pod of an agent. */
function addBundle(backup: Command, finish: Finish): void {
  backup
    .command('bundle', { hidden: true })
    .description('print the repository as a bundle of git')
    .addOption(dataOption())
    .addOption(outputOption())
    .action(finish(async () => (await import('./commands/backup.ts')).bundleCommand));
}

/** Hidden: `restore --to-volume` calls it in a pod on the volume. */
function addPlace(backup: Command, finish: Finish): void {
  backup
    .command('place', { hidden: true })
    .description('restore the data directory in its own place; what is there is moved aside')
    .requiredOption('--data <dir>', 'the data directory, which no agent uses')
    .option('--at <time|commit|order>', 'of its own repository')
    .option('--incoming <commit>', 'a commit that comes as a pack of git on standard input')
    .requiredOption('--by <name>', 'who restores it, recorded')
    .option('--agent <namespace/name>', 'whose volume it is')
    .option('--individual <uuid>', 'the individual that is to be there')
    .addOption(outputOption())
    .action(finish(async () => (await import('./commands/place.ts')).placeCommand));
}

export function addRestore(program: Command, finish: Finish): void {
  withPlace(program.command('restore'))
    .description('rebuild a data directory from its second copy, verify it, and only then give it its name')
    .option(
      '--from <dir|url>',
      'a data directory, a repository or a clone; or an address of https, ssh or file (default: --data, or the agent on a cluster)',
    )
    .option('--branch <name>', 'branch of --from (default: the one that it shows first)')
    .option(
      '--at <time|commit|order>',
      `${WHICH}; the newest commit that is not beyond it (default: the newest commit)`,
    )
    .option('--to <newdir>', 'the new data directory; nothing may be in it')
    .option(
      '--to-volume',
      'in place on the volume of a suspended agent on a cluster; its data is moved aside to before-restore-MOMENT there',
    )
    .option(
      '--individual <uuid>',
      'with --to-volume: the one that is to live there, if the volume has another one by now',
    )
    .option('--heads <dir>', HEADS)
    .option('--by <name>', 'who restores it, recorded (default: your user name)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer restore --from https://git.example.com/ada.git --to restored',
        'retainer restore --from clone.git --at 2026-01-31T08:00:00Z --to restored --heads .retainer/examples/auditor',
        'retainer restore -n weather --at 1f0c2a9b --to restored',
        'retainer restore -n weather --agent ada --from https://git.example.com/ada.git --to-volume',
      ]),
    )
    .action(finish(async () => (await import('./commands/restore.ts')).restoreCommand));
}
