/** Declares `retainer gate` on the command line: its arguments and its help. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';

export function addGate(program: Command, finish: Finish): void {
  const gate = program.command('gate').description('try the gates on your own texts and calls; call a refusal wrong');
  addFalsePositive(gate, finish);
  addAttack(gate, finish);
  gate
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
    .action(finish(async () => (await import('./commands/gate.ts')).checkCommand));
}

function addFalsePositive(gate: Command, finish: Finish): void {
  withPlace(gate.command('false-positive'))
    .argument(
      '[record]',
      'the record of the verdict, as retainer explain prints it: cycle/1234 (default: list refusals)',
    )
    .description('report that a gate refused wrongly; feeds the observer of the gates and loosens nothing')
    .option('--reason <text>', 'why the refusal was wrong; recorded')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples(['retainer gate false-positive', 'retainer gate false-positive cycle/1234 --reason "a recipe, no order"'])}
Exit code: 0 left for the agent, 1 no such refusal or no reason.
`,
    )
    .action(finish(async () => (await import('./commands/false-positive.ts')).falsePositiveCommand));
}

function addAttack(gate: Command, finish: Finish): void {
  gate
    .command('attack')
    .description('play attacks against your agent, with a model that obeys every text; prints those that got through')
    .requiredOption('-f, --filename <path...>', 'manifests: files or directories, as for retainer run')
    .option('--agent <name>', 'which Agent, if the manifests have several')
    .option('--task <name>', 'only this Task of the Agent (default: all, in turns)')
    .option('--channel <name>', 'only attacks by this channel, such as File, Web or Memory')
    .option('--goal <id>', 'only this goal, or the goals below the beginning of an id, such as leak/Fact')
    .option('--seed <number>', 'other forms, languages and marks of the same goals', wholeNumber)
    .option('--all', 'every attack that the Agent allows (default: 150 of them)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'retainer gate attack -f manifests/examples',
        'retainer gate attack -f agent.yaml character.yaml --channel File --all',
        'retainer gate attack -f manifests/examples -o json | jq ".attacks[] | select(.gotThrough)"',
      ])}
Each attack plays in a temporary directory with the real gates, tools and sandbox (bubblewrap). Nothing leaves this machine.
Exit code: 0 none got through, 11 one did, 1 a manifest or a flag has an error, or there is no sandbox.
`,
    )
    .action(finish(async () => (await import('./commands/attack.ts')).attackCommand));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number of at most nine digits.');
  return Number(text);
}
