/** Declares `retainer explain` and `retainer cost` on the command line: their arguments and their help. */
import type { Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';

export function addExplain(program: Command, finish: Finish): void {
  withPlace(program.command('explain'))
    .argument('[run]', 'run id, Task name, or the beginning of an id; without it, list the runs')
    .description('tell the story of a run from its record: every decision with its numbers')
    .option('--full', 'with prompts, arguments, outputs and replies')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer explain',
        'retainer explain rainiest-day --data .retainer/examples',
        'retainer explain rainiest-day --full | less',
        'retainer explain rainiest-day -n weather',
      ]),
    )
    .action(finish(async () => (await import('./commands/explain.ts')).explainCommand));
}

export function addCost(program: Command, finish: Finish): void {
  withPlace(program.command('cost'))
    .argument('[run]', 'run id, Task name, or the beginning of an id; without it, all runs together')
    .description('tell what a run cost: tokens and money by role and by purpose, and with other models')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer cost', 'retainer cost rainiest-day --data .retainer/examples', 'retainer cost -o json']),
    )
    .action(finish(async () => (await import('./commands/cost.ts')).costCommand));
}
