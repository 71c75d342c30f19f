/** Declares `retainer work` on the command line: its arguments and its help. */
import type { Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';

const ID = ['<id>', 'id of an item or an endeavour, or the beginning of one'] as const;
const REASON = ['--reason <text>', 'the reason, which is recorded'] as const;

export function addWork(program: Command, finish: Finish): void {
  const work = program
    .command('work')
    .description('what the agent plans for itself: items with steps, endeavours with phases, and your word about them');
  withPlace(work.command('list'))
    .description('list open work: what it is, its status, how far it has come, when it is due')
    .option('--all', 'what has ended as well')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer work list', 'retainer work list --all -o json | jq .items']))
    .action(finish(async () => (await import('./commands/work.ts')).listCommand));
  withPlace(work.command('show'))
    .argument(...ID)
    .description('tell one item or endeavour in full: steps or phases, forecast, what was learned, and its history')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer work show w-1a2b3c', 'retainer work show w-1a2b3c -n weather']))
    .action(finish(async () => (await import('./commands/work.ts')).showCommand));
  withPlace(work.command('abandon'))
    .argument(...ID)
    .description('end an item that nobody wants any more')
    .requiredOption(...REASON)
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer work abandon w-1a2b3c --reason "done by hand"']))
    .action(finish(async () => (await import('./commands/work.ts')).abandonCommand));
  withPlace(work.command('delete'))
    .argument(...ID)
    .description('take an item or an endeavour out of the list for good; the record keeps it')
    .requiredOption(...REASON)
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer work delete w-1a2b3c --reason "it was a test"']))
    .action(finish(async () => (await import('./commands/work.ts')).deleteCommand));
}
