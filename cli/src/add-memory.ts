/** Declares `retainer memory` on the command line: its arguments and its help. */
import { Option, type Command } from 'commander';
import { presets } from '@retainer/mind/memory/recall/presets';
import { addMemoryRecord } from './add-memory-record.ts';
import { examples, outputOption, type Finish } from './command-options.ts';

export function addMemory(program: Command, finish: Finish): void {
  const memory = program
    .command('memory')
    .description('what the agent remembers, your word about it, and how well it is found');
  addMemoryRecord(memory, finish);
  addBench(memory, finish);
}

function addBench(memory: Command, finish: Finish): void {
  memory
    .command('bench')
    .argument('[path]', 'with --format: a file of conversations, or a directory of them')
    .description('rank your own cases, or the messages of published conversations, and print how good the ranking is')
    .option('--cases <file>', 'cases, one on each line as JSON')
    .option('--queries <file>', 'queries with the ids of the cases that should be found, one on each line as JSON')
    .addOption(
      new Option('--preset <name>', 'weights of the signals').choices(Object.keys(presets)).default('adaptive'),
    )
    .addOption(new Option('--format <name>', 'format of the conversations').choices(['locomo', 'beam']))
    .option('--no-words', 'without the table of word vectors: compare by words alone')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'retainer memory bench --cases cases.jsonl --queries queries.jsonl',
        'retainer memory bench --cases cases.jsonl --queries queries.jsonl --preset paper -o json',
        'retainer memory bench --format locomo locomo10.json',
        'retainer memory bench --format beam chats/100K',
      ])}
A case: {"case_id": "…", "problem": {"user_input": "…"}}; intent, domain, keywords and entities may stand beside user_input.
A query: {"query_id": "…", "text": "…", "relevant_ids": ["…"]}, with the same fields beside text, and a difficulty.
`,
    )
    .action(finish(async () => (await import('./commands/memory-bench.ts')).memoryBenchCommand));
}
