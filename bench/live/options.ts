/** The options of `npm run live`, each with its line of help. */
import { parseArgs } from 'node:util';

interface Option {
  /** What it takes; absent: nothing. */
  readonly takes?: string;
  readonly help: string;
}

const OPTIONS = {
  'base-url': {
    takes: 'URL',
    help: "any server that speaks the Messages API; Anthropic's when absent (or ANTHROPIC_BASE_URL)",
  },
  model: {
    takes: 'ID',
    help: "the model of the tier Capable, and of Fast unless --fast names one; the Agent's defaults when absent",
  },
  fast: { takes: 'ID', help: 'the model of the tier Fast' },
  local: { help: 'a small model with open weights on this machine: fetched, started and stopped' },
  size: { takes: 'SIZE', help: 'of --local: 0.5b (the default) or 1.5b' },
  seed: { takes: 'N', help: 'of --local and --tasks, 0 to 9999999999; 1 when absent' },
  tasks: { takes: 'N', help: 'only so many tasks, drawn by --seed, and the turns before them' },
  only: { takes: 'NAMES', help: 'these tasks, with commas between, and the turns before them; all when absent' },
  bare: { help: 'by the loop that anybody writes in an evening, without Retainer' },
  both: { help: 'by the bare loop and by Retainer, one beside the other' },
  data: { takes: 'DIR', help: 'where the record goes; must not hold one' },
  json: { takes: 'FILE', help: 'the rows of the table, for --sum; must not be there' },
  parallel: { takes: 'N', help: 'tasks at the same time, 1 to 16; 1 when absent' },
  sum: { help: 'plays nothing; adds up the files of --json that are named after it' },
  help: { help: 'this text' },
} as const satisfies Readonly<Record<string, Option>>;

type Values = {
  readonly [Name in keyof typeof OPTIONS]:
    | ((typeof OPTIONS)[Name] extends { readonly takes: string } ? string : true)
    | undefined;
};

export interface LiveArguments {
  readonly values: Values;
  /** Files of `--sum`. */
  readonly files: readonly string[];
}

/** @throws for an option that is none, with its name */
export function parseLiveArguments(args: readonly string[]): LiveArguments {
  const options = Object.fromEntries(
    Object.entries<Option>(OPTIONS).map(([name, { takes }]) => [
      name,
      { type: takes === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (positionals.length > 0 && values['sum'] !== true)
    throw new Error(`${positionals[0]} is no option; files are named after --sum`);
  return { values: values as unknown as Values, files: positionals };
}

export function usage(): string {
  const rows = Object.entries<Option>(OPTIONS).map(([name, { takes, help }]) => ({
    option: `--${name}${takes === undefined ? '' : ` ${takes}`}`,
    help,
  }));
  const width = Math.max(...rows.map(({ option }) => option.length));
  return [
    'npm run live -- [OPTION]...',
    '',
    ...rows.map(({ option, help }) => `  ${option.padEnd(width)}  ${help}`),
  ].join('\n');
}
