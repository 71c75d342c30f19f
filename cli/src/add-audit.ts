/** Declares `retainer audit` on the command line: its arguments and its help. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';

export function addAudit(program: Command, finish: Finish): void {
  const audit = program
    .command('audit')
    .description('what people ask of the record: what happened, who wanted it, who decided, what it cost; only reads');
  addSummary(audit, finish);
  addCycle(audit, finish);
  addMap(audit, finish);
  addSearch(audit, finish);
  addSkills(audit, finish);
}

function addSummary(audit: Command, finish: Finish): void {
  withPlace(audit.command('summary'))
    .argument('[dir]', 'data directory, or a copy of it; the same as --data')
    .description('tell day by day (UTC) what ran, how it ended, what it took, what the gates said, how the record grew')
    .option('--days <count>', 'the newest days of the record, this many', days)
    .option('--from <day>', 'from this day on, as 2026-05-01', day)
    .option('--to <day>', 'up to and with this day', day)
    .addOption(new Option('--format <name>', 'logs of another system instead of a record').choices(['springdrift']))
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer audit summary .retainer/examples',
        'retainer audit summary /backup/ada --from 2026-05-01 --to 2026-05-31',
        'retainer audit summary --days 7 -o json | jq .all',
        'retainer audit summary /backup/curragh --format springdrift',
      ]),
    )
    .action(finish(async () => (await import('./commands/audit-summary.ts')).summaryCommand));
}

function addCycle(audit: Command, finish: Finish): void {
  withPlace(audit.command('cycle'))
    .argument('<id>', 'id of a cycle, or its beginning; RUN-archive for the Archivist of a run')
    .description('show one cycle in full: its place in the run, every request as recorded, verdicts with trails, calls')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer audit cycle rainiest-day-1a2b3c-c1 | less',
        "retainer audit cycle rainiest-day-1a2b3c-c1 -o json | jq -j '.requests[0].bytes' | sha256sum",
      ]),
    )
    .action(finish(async () => (await import('./commands/audit-cycle.ts')).cycleCommand));
}

function mapOutput(): Option {
  return new Option('-o, --output <format>', 'output format: text for people, json for programs, svg for a picture')
    .choices(['text', 'json', 'svg'])
    .default('text');
}

function addMap(audit: Command, finish: Finish): void {
  withPlace(audit.command('map'))
    .argument('[run]', 'run id, Task name, or the beginning of an id; without it, all runs')
    .description(
      'tell for every effect who wanted it, who decided by which rule, who approved, who checked, what it took',
    )
    .addOption(mapOutput())
    .addHelpText(
      'after',
      `${examples(['retainer audit map', 'retainer audit map rainiest-day --data /backup/ada', 'retainer audit map -o json | jq .findings', 'retainer audit map -o svg > map.svg'])}
An effect is a call of effect class 1 or higher, or a delivery. Exit code: 0 every ended effect has a full row, 5 one has none.
`,
    )
    .action(finish(async () => (await import('./commands/audit-map.ts')).mapCommand));
}

/** Records that one reads, and those that a program may want. */
const HITS = 50;
const HITS_MAX = 10_000;

function addSearch(audit: Command, finish: Finish): void {
  withPlace(audit.command('search'))
    .argument('<text>', 'what to look for, in either case of its letters')
    .description('find a text in the record, oldest first, with its place')
    .option('--limit <count>', 'records at most', hits, HITS)
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer audit search "acme gmbh"', 'retainer audit search 4711 --limit 1000 -o json']),
    )
    .action(finish(async () => (await import('./commands/audit-search.ts')).searchCommand));
}

function hits(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= HITS_MAX) return count;
  throw new InvalidArgumentError(`Give a number from 1 to ${HITS_MAX}.`);
}

function addSkills(audit: Command, finish: Finish): void {
  withPlace(audit.command('skills'))
    .description('tell which skills were shown in which runs, and how those ended; it claims no cause')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['retainer audit skills', "retainer audit skills -o json | jq '.skills[].outcomes'"]),
    )
    .action(finish(async () => (await import('./commands/audit-search.ts')).skillsCommand));
}

/** A century: more is a slip of the finger. */
const DAYS_MAX = 36_500;

function days(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= DAYS_MAX) return count;
  throw new InvalidArgumentError('Give a number of days from 1.');
}

function day(text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
  if (isDay) return text;
  throw new InvalidArgumentError('Give a day of the calendar, as 2026-05-01.');
}
