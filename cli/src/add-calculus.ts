/** Declares `retainer calculus` on the command line: its arguments and its help. */
import { LEVEL_SCHEME_NAMES, type LevelSchemeName } from '@retainer/contract/api/levels';
import { Option, type Command } from 'commander';
import { examples, outputOption, type Finish } from './command-options.ts';

export function addCalculus(program: Command, finish: Finish): void {
  const calculus = program
    .command('calculus')
    .description('try the normative calculus: the whole table, one pair of norms, or the norms of a character')
    .addHelpText('after', '\nWithout a command it prints the table.\n')
    .showHelpAfterError('(commands: retainer calculus [table], pair USER SYSTEM, judge CHARACTER FORECASTS)');
  calculus
    .command('table', { isDefault: true })
    .description('print every pair of norms with the rule that fires, and the floors; with -o json every pair by name')
    .addOption(schemeOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer calculus',
        'retainer calculus table --scheme Paper',
        'retainer calculus -o json | jq \'.pairs[] | select(.rule == "equal-weight-coordinate")\'',
      ]),
    )
    .action(finish(async () => (await import('./commands/calculus.ts')).tableCommand));
  calculus
    .command('pair')
    .argument('<user>', 'norm of the user: LEVEL/OPERATOR, or LEVEL/OPERATOR/Impossible')
    .argument('<system>', 'norm of the system, in the same form')
    .description('resolve one pair of norms and show the rules that were tried')
    .addOption(schemeOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer calculus pair Operational/Ought Legal/Required',
        'retainer calculus pair Legal/Ought/Impossible EthicalMoral/Required',
        'retainer calculus pair Etiquette/Ought Prudential/Ought --scheme Paper',
      ]),
    )
    .action(finish(async () => (await import('./commands/calculus.ts')).pairCommand));
  calculus
    .command('judge')
    .argument('<character>', 'manifest with one CharacterSpec')
    .argument('<forecasts>', 'forecast file: the gate, and the features that it might find')
    .description('judge forecasts by the norms of a character: verdict, floor and every pair; changes nothing')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'retainer calculus judge character.yaml forecasts.yaml',
        'retainer calculus judge character.yaml forecasts.yaml -o json | jq .judged[].judgement.decidedBy',
      ])}
A forecast file, of YAML or JSON:
  gate: output                      # input, tool or output
  cases:
    - name: figure-without-source
      forecasts:
        - {feature: unsourced_claim, magnitude: 4, rationale: no method is named}

Exit code: 0 all Flourishing, 2 a case is Constrained, 3 a case is Prohibited, 1 a file has an error.
`,
    )
    .action(finish(async () => (await import('./commands/calculus.ts')).judgeCommand));
}

function schemeOption(): Option {
  return new Option('--scheme <name>', 'the ordered set of levels')
    .choices(LEVEL_SCHEME_NAMES)
    .default('Springdrift' satisfies LevelSchemeName);
}
