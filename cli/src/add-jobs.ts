/** Declares `retainer jobs` on the command line: its arguments and its help. */
import type { Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';
import type { JobChangeFlags, JobWord } from './commands/jobs.ts';

const ID = ['<id>', 'id of a job, the beginning of one, or its name'] as const;

export function addJobs(program: Command, finish: Finish): void {
  const jobs = program
    .command('jobs')
    .description('what the agent begins by itself: its calendar, the jobs that you gave it, and your word about them');
  withPlace(jobs.command('list'))
    .description('list the jobs: kind, for whom, next moment, last outcome, who made them, what they wait for')
    .option('--all', 'those that are over as well')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer jobs list', 'retainer jobs list --all -o json | jq .']))
    .action(finish(async () => (await import('./commands/jobs.ts')).listCommand));
  withPlace(jobs.command('show'))
    .argument(...ID)
    .description('tell one job in full: its words, who made it and why, its last runs, what was skipped')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer jobs show daily-report', 'retainer jobs show daily-report -n weather']))
    .action(finish(async () => (await import('./commands/jobs.ts')).showCommand));
  for (const [word, what, reason] of CHANGES)
    withPlace(jobs.command(word))
      .argument(...ID)
      .description(what)
      .requiredOption('--reason <text>', 'the reason, which is recorded')
      .addOption(outputOption())
      .addHelpText('after', examples([`retainer jobs ${word} daily-report --reason "${reason}"`]))
      .action(
        finish(async () => {
          const { changeCommand } = await import('./commands/jobs.ts');
          return (id: string, flags: JobChangeFlags) => changeCommand(word, id, flags);
        }),
      );
}

const CHANGES: readonly (readonly [word: JobWord, what: string, reason: string])[] = [
  ['pause', 'let its moments pass, until it is resumed', 'nobody reads it this week'],
  ['resume', 'let it go on with its next moment', 'we are back'],
  ['cancel', 'end it for good, with its run if one is under way', 'done by hand'],
  ['run-now', 'run it once at once, beside its moments', 'we need it before eight'],
];
