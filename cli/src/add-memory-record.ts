/** Declares the commands of `retainer memory` about the record of an agent: their arguments and their help. */
import { Option, type Command } from 'commander';
import { examples, gathered, outputOption, withPlace, type Finish } from './command-options.ts';
import type { MemoryChangeFlags, TeachFlags } from './commands/change-memory.ts';

const ID = ['<id>', 'fact:KEY, or the id of a megram, a run or a case'] as const;
const TRACED = ['<id>', 'fact:KEY, or the id of a megram, a run, a case or an artifact'] as const;

/** @param memory  the command `memory` */
export function addMemoryRecord(memory: Command, finish: Finish): void {
  addReading(memory, finish);
  addChanging(memory, finish);
  addTeaching(memory, finish);
  addCases(memory, finish);
  addTending(memory, finish);
}

function addReading(memory: Command, finish: Finish): void {
  withPlace(memory.command('show'))
    .description('list what the agent remembers: facts with how sure it is, lessons, runs')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory show', 'retainer memory show -o json | jq .']))
    .action(finish(async () => (await import('./commands/memory.ts')).showCommand));
  withPlace(memory.command('search'))
    .argument('<text>', 'what it should be about')
    .description('find what the agent remembers by words and by meaning, the best first')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory search "currency of acme"']))
    .action(finish(async () => (await import('./commands/memory.ts')).searchCommand));
  withPlace(memory.command('threads'))
    .description('list the threads: runs that go on with each other')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory threads']))
    .action(finish(async () => (await import('./commands/memory.ts')).threadsCommand));
  withPlace(memory.command('affect'))
    .description('tell how the agent was after its newest cycles, and from which signals that was computed')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory affect', 'retainer memory affect -o json | jq ".[-1].affect"']))
    .action(finish(async () => (await import('./commands/memory.ts')).affectCommand));
  withPlace(memory.command('trace'))
    .argument(...TRACED)
    .description('tell every record of one memory: which run or person made it, changed it, endorsed it')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory trace fact:customer/acme.currency']))
    .action(finish(async () => (await import('./commands/memory.ts')).traceCommand));
}

function addCases(memory: Command, finish: Finish): void {
  const cases = memory.command('case').description('your word about what a run tried and what came of it');
  const words = {
    correct: 'say what came of it in truth: the reason takes the place of its assessment',
    annotate: 'add the reason as a note',
    suppress: 'recall it no more',
    unsuppress: 'recall it again',
    boost: 'call it useful',
  } as const;
  for (const word of ['correct', 'annotate', 'suppress', 'unsuppress', 'boost'] as const)
    withPlace(cases.command(word))
      .argument('<id>', 'id of a case')
      .description(words[word])
      .requiredOption(...REASON)
      .addOption(outputOption())
      .addHelpText('after', examples([`retainer memory case ${word} first-a1b2c3-case --reason "the file had moved"`]))
      .action(
        finish(async () => {
          const { curateCommand } = await import('./commands/change-memory.ts');
          return (id: string, flags: MemoryChangeFlags) => curateCommand(word, id, flags);
        }),
      );
}

const REASON = ['--reason <text>', 'the reason, which is recorded'] as const;

function addChanging(memory: Command, finish: Finish): void {
  withPlace(memory.command('remember'))
    .argument('<key>', 'key of the fact, as in customer/acme.currency')
    .argument('<value>', 'the fact itself')
    .description('tell the agent a fact, which holds until a person says otherwise')
    .requiredOption(...REASON)
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory remember customer/acme.currency EUR --reason "their contract"']))
    .action(finish(async () => (await import('./commands/change-memory.ts')).rememberCommand));
  withPlace(memory.command('forget'))
    .argument(...ID)
    .description('let no prompt hold one memory any more; the record keeps it')
    .requiredOption(...REASON)
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory forget first-a1b2c3-g3-1 --reason "it was the network"']))
    .action(finish(async () => (await import('./commands/change-memory.ts')).forgetCommand));
  withPlace(memory.command('endorse'))
    .argument(...ID)
    .description('let the agent believe one memory, whatever the run had read that made it')
    .requiredOption(...REASON)
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory endorse fact:vat.rate --reason "checked with the ministry"']))
    .action(finish(async () => (await import('./commands/change-memory.ts')).endorseCommand));
}

function addTending(memory: Command, finish: Finish): void {
  withPlace(memory.command('tend'))
    .description('let the agent dream now: forget what has faded, make rules and lessons, merge cases')
    .option('--reason <text>', 'the reason, which is recorded', 'it was asked for')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer memory tend', 'retainer memory tend --data DIR']))
    .action(finish(async () => (await import('./commands/change-memory.ts')).tendCommand));
}

/** Spelt here: what a lesson is, is loaded when one is taught. */
const CATEGORIES: readonly TeachFlags['category'][] = ['Fact', 'Procedure', 'Constraint'];

function addTeaching(memory: Command, finish: Finish): void {
  withPlace(memory.command('teach'))
    .argument('<lesson>', 'the lesson, in a sentence')
    .description('teach the agent a lesson for every plan; a constraint binds, others are preferred')
    .requiredOption('--tag <word>', 'what it is about; two to five of them', gathered)
    .addOption(
      new Option('--category <category>', 'what kind of lesson it is').choices(CATEGORIES).default('Procedure'),
    )
    .option('--call <tool:target>', 'a tool, or a tool on a target, that it is about; repeatable', gathered)
    .requiredOption(...REASON)
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer memory teach "Send nothing on Sundays." --tag mail --tag send --category Constraint --reason "their wish"',
      ]),
    )
    .action(finish(async () => (await import('./commands/change-memory.ts')).teachCommand));
}
