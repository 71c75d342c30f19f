/** Declares `retainer gate` on the command line: its arguments and its help. */
import { Option, type Command } from 'commander';
import { examples, outputOption, type Finish } from './command-options.ts';
import type { GateFlags } from './commands/gate.ts';

export function addGate(program: Command, finish: Finish): void {
  program
    .command('gate')
    .description('try the gates on your own texts and calls')
    .command('check')
    .argument('[file]', 'a text file, or a JSONL file with a text or a call on each line')
    .description('check a text or a call with the deterministic rules of a gate; changes and records nothing')
    .option('--stdin', 'read standard input instead of a file')
    .addOption(new Option('--gate <name>', 'the gate').choices(['input', 'tool', 'output']).default('input'))
    .option('--autonomous', 'judge as in an autonomous run: refuse what no rule or score can clear')
    .option('--character <file>', 'manifest with one CharacterSpec (default: the shipped rules only)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'retainer gate check mail.txt --autonomous',
        'retainer gate check --stdin --character character.yaml < reply.txt --gate output',
        'retainer gate check corpus.jsonl --autonomous -o json | jq -r .alarm | sort | uniq -c',
      ])}
A line of JSONL: {"text": "…"}, or for the tool gate {"tool": "bash", "input": {"script": "…"}, "agent": "coder"}; an "id" is
repeated in the answer. Exit code: 0 whatever the verdicts, 1 an input has an error.
`,
    )
    .action(async (file: string | undefined, flags: GateFlags) => {
      const { checkCommand } = await import('./commands/gate.ts');
      finish(await checkCommand(file, flags));
    });
}
