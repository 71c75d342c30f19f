/** Declares `retainer state` on the command line: its arguments and its help. */
import { Option, type Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';

export function addState(program: Command, finish: Finish): void {
  withPlace(program.command('state'))
    .description('tell what the agent sees of itself: its work, budgets, memory and affect, as each cycle is told')
    .option('--watch', 'tell it again when it has changed, and once a minute, until Ctrl-C')
    .option('--as-told', 'print the text as the model reads it')
    // For the command line that runs this one beside an agent: nothing else tells it there that nobody looks any more.
    .addOption(new Option('--until-input-ends', 'with --watch: end with standard input').hideHelp())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer state',
        'retainer state --watch --data .retainer/examples',
        'retainer state --as-told -n weather --agent ada',
        'retainer state -o json | jq .view.budgets',
      ]),
    )
    .action(finish(async () => (await import('./commands/state.ts')).stateCommand));
}
