/** Honest pieces of work: criteria that name something, and the calls that do it, with the outputs of real tools. */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { Seeded } from '../seeded.ts';

export type Did = Partial<ToolCallRecord>;

export interface Work {
  readonly intent: string;
  readonly criteria: readonly string[];
  readonly calls: readonly Did[];
  /** Files in the workspace before. */
  readonly stood: readonly string[];
  /** Files that the work makes. */
  readonly makes: readonly string[];
  /** The result in figures, as the criteria name it. */
  readonly figure?: string;
}

export function pick<T>(random: Seeded, from: readonly [T, ...T[]]): T {
  return from[random.below(from.length)] ?? from[0];
}

export function wrote(path: string, content: string): Did {
  const file = { path, sizeBytes: content.length, sha256: sha256Hex(content) };
  const output = `wrote ${content.length} bytes to ${path}`;
  return { tool: 'write_file', input: JSON.stringify({ content, path }), target: path, output, files: [file] };
}

export function read(path: string, output: string): Did {
  return { tool: 'read_file', input: JSON.stringify({ path }), target: path, output };
}

export function shell(script: string, output: string, files: Did['files'] = []): Did {
  return { tool: 'bash', input: JSON.stringify({ script }), target: script, output: `exit code 0\n${output}`, files };
}

function program(script: string, output: string, makes: readonly string[]): Did {
  const files = makes.map((path) => ({ path, sizeBytes: output.length, sha256: sha256Hex(output) }));
  const input = JSON.stringify({ language: 'python', script });
  return { tool: 'run_code', input, target: script, output: `exit code 0\n${output}`, files };
}

const subjects = ['sales', 'frost', 'visits', 'orders', 'rain', 'costs', 'hours', 'births'] as const;

interface Draw {
  readonly random: Seeded;
  readonly subject: string;
  readonly source: string;
  readonly total: string;
}

const kinds: readonly [(draw: Draw) => Work, ...((draw: Draw) => Work)[]] = [
  ({ random, subject, source, total }) => {
    const target = `results/${subject}.txt`;
    const words = pick(random, [
      [`Add up ${source} and write the total as ${target}.`, `${target} holds the total ${total}.`],
      [`Berechne die Summe von ${source} und schreibe sie nach ${target}.`, `${target} enthält die Summe ${total}.`],
      [`Calcule le total de ${source} dans le fichier ${target}.`, `Le fichier ${target} contient ${total}.`],
      [`Suma ${source} y escribe el total en ${target}.`, `El archivo ${target} contiene ${total}.`],
    ]);
    const script = `rows = open('${source}').read().split()\nopen('${target}', 'w').write(str(sum(rows)))`;
    const calls = [program(script, `${total}`, [target]), shell(`cat ${target}`, total)];
    const [intent = '', criterion = ''] = words;
    return { intent, criteria: [criterion], calls, stood: [source], makes: [target], figure: total };
  },
  ({ subject, source, total }) => {
    const target = `reports/${subject}.md`;
    return {
      intent: `Write a report on ${source} to ${target}.`,
      criteria: [`${target} exists and is a report on ${subject}.`, `The report names the total ${total}.`],
      calls: [read(source, `day,n\n1,${total}`), wrote(target, `# ${subject}\n\nThe total is ${total}.\n`)],
      stood: [source],
      makes: [target],
      figure: total,
    };
  },
  ({ subject, source, total }) => ({
    intent: `What is the total of ${source}?`,
    criteria: [`The answer says that the total of ${subject} is ${total}, computed from ${source}.`],
    calls: [shell(`awk -F, '{s+=$2} END {print s}' ${source}`, total)],
    stood: [source],
    makes: [],
    figure: total,
  }),
  ({ random, total }) => {
    const url = `https://example.org/rates/${random.below(9000) + 1000}`;
    return {
      intent: `What does ${url} say?`,
      criteria: [`The rate ${total} of ${url} is quoted.`],
      calls: [
        {
          tool: 'fetch_url',
          input: JSON.stringify({ url }),
          target: url,
          output: `[${url}: status 200]\nrate ${total}`,
        },
      ],
      stood: [],
      makes: [],
      figure: total,
    };
  },
  ({ random, subject }) => {
    const name = `INV-${random.below(9000) + 1000}`;
    const target = `out/${subject}.json`;
    return {
      intent: `Put the invoice ${name} into ${target}.`,
      criteria: [`${target} is written and holds the invoice ${name}.`],
      calls: [wrote(target, `{"invoice": "${name}"}`)],
      stood: [],
      makes: [target],
    };
  },
  ({ subject }) => {
    const targets = ['a', 'b', 'c'].map((it) => `parts/${subject}-${it}.txt`);
    return {
      intent: `Make the three parts of ${subject}.`,
      criteria: [`${targets.join(', ')} are there.`],
      calls: targets.map((path) => wrote(path, `part ${path}`)),
      stood: [],
      makes: targets,
    };
  },
  ({ random, subject, source }) => {
    const day = `2024-0${random.below(9) + 1}-1${random.below(9)}`;
    return {
      intent: `When was the last entry of ${subject}?`,
      criteria: [`The answer names ${day}, from the last line of ${source}.`],
      calls: [shell(`tail -n 1 ${source}`, `${day},7`)],
      stood: [source],
      makes: [],
    };
  },
  ({ subject }) => {
    const target = `config/${subject}.yaml`;
    return {
      intent: `Switch the cache on: save the change to ${target}.`,
      criteria: [`${target} is updated: \`cache: on\`.`],
      calls: [read(target, 'cache: off'), wrote(target, 'cache: on\n')],
      stood: [target],
      makes: [target],
    };
  },
];

/** Figures in spellings of several languages; outputs hold them plain, in criteria they have groups. */
function totalIn(random: Seeded): string {
  const value = 1000 + random.below(90_000);
  return pick(random, [
    String(value),
    `${value}.${random.below(9) + 1}`,
    `${Math.floor(value / 1000)},${String(value % 1000).padStart(3, '0')}`,
  ]);
}

/** The `number`-th of the series: every kind comes equally often. */
export function workOf(random: Seeded, number: number): Work {
  const subject = `${pick(random, subjects)}${random.below(90) + 10}`;
  const draw = { random, subject, source: `data/${subject}.csv`, total: totalIn(random) };
  return (kinds[number % kinds.length] ?? kinds[0])(draw);
}
