/** The options of `npm run live`, each with its line of help. */
import { parseArgs } from 'node:util';

interface Option {
  readonly type: 'string' | 'boolean';
  /** What a string stands for. */
  readonly takes?: string;
  readonly help: string;
}

const OPTIONS = {
  'base-url': {
    type: 'string',
    takes: 'URL',
    help: "any server that speaks the Messages API; Anthropic's when absent (or ANTHROPIC_BASE_URL)",
  },
  model: {
    type: 'string',
    takes: 'ID',
    help: "the model of the tier Capable, and of Fast unless --fast names one; the Agent's defaults when absent",
  },
  fast: { type: 'string', takes: 'ID', help: 'the model of the tier Fast' },
  local: { type: 'boolean', help: 'a small model with open weights on this machine: fetched, started and stopped' },
  size: { type: 'string', takes: 'SIZE', help: 'of --local: 0.5b (the default) or 1.5b' },
  seed: { type: 'string', takes: 'N', help: 'of --local and --tasks, 0 to 9999999999; 1 when absent' },
  tasks: { type: 'string', takes: 'N', help: 'only so many tasks, drawn by --seed, and the turns before them' },
  only: {
    type: 'string',
    takes: 'NAMES',
    help: 'these tasks, with commas between, and the turns before them; all when absent',
  },
  bare: { type: 'boolean', help: 'by the loop that anybody writes in an evening, without Retainer' },
  both: { type: 'boolean', help: 'by the bare loop and by Retainer, one beside the other' },
  data: { type: 'string', takes: 'DIR', help: 'where the record goes; must not hold one' },
  json: { type: 'string', takes: 'FILE', help: 'keeps the rows of the table, for --sum; must not be there' },
  parallel: { type: 'string', takes: 'N', help: 'tasks at the same time, 1 to 16; 1 when absent' },
  sum: { type: 'boolean', help: 'plays nothing; adds up the files of --json that are named after it' },
  help: { type: 'boolean', help: 'this text' },
} as const satisfies Readonly<Record<string, Option>>;

const PARALLEL_MAX = 16;

type Parsed = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;

export interface LiveArguments {
  readonly values: Parsed['values'];
  /** Of `--sum`. */
  readonly files: readonly string[];
  readonly parallel: number;
}

/** @throws for what is no option, or has no fitting value; the error names it */
export function parseLiveArguments(args: readonly string[]): LiveArguments {
  const { values, positionals: files } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (files.length > 0 && values.sum !== true) throw new Error(`${files[0]} is no option; files are named after --sum`);
  if (files.length === 0 && values.sum === true) throw new Error('--sum needs the files of --json: name them');
  return { values, files, parallel: parallelOf(values.parallel ?? '1') };
}

function parallelOf(text: string): number {
  const parallel = Number(text);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL_MAX)
    throw new Error(`--parallel must be 1 to ${PARALLEL_MAX}`);
  return parallel;
}

export function usage(): string {
  const rows = Object.entries<Option>(OPTIONS).map(([name, { takes, help }]) => ({
    option: `--${name}${takes === undefined ? '' : ` ${takes}`}`,
    help,
  }));
  const width = Math.max(...rows.map(({ option }) => option.length));
  const lines = rows.map(({ option, help }) => `  ${option.padEnd(width)}  ${help}`);
  return ['npm run live -- [OPTION]...', '', ...lines].join('\n');
}
