/** `retainer memory bench`: how well memory finds what it should, on data of the user. Reads only. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openWordTable } from '@retainer/agent-pod/boot/word-table';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Meaning } from '@retainer/mind/meaning/text-vector';
import { presets, type PresetName } from '@retainer/mind/memory/recall/presets';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { benchCases } from '../memory/bench-cases.ts';
import { benchConversation, sumUp, type Outcome } from '../memory/bench-conversations.ts';
import type { Conversation, ConversationFormat } from '../memory/conversation.ts';
import { beam } from '../memory/parse-beam.ts';
import { parseCases, parseQueries } from '../memory/parse-cases.ts';
import { locomo } from '../memory/parse-locomo.ts';
import { renderCaseBench, renderConversationBench } from '../memory/render-bench.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface BenchFlags {
  readonly cases?: string;
  readonly queries?: string;
  readonly preset: PresetName;
  readonly format?: FormatName;
  readonly words: boolean;
  readonly output: OutputFormat;
}

const formats = { locomo, beam } as const satisfies Readonly<Record<string, ConversationFormat>>;
export type FormatName = keyof typeof formats;

/** Without the table everything is compared by words. */
const noMeaning: Meaning = { vectorOf: () => undefined };

const nowMs = (): number => performance.now();

export async function memoryBenchCommand(path: string | undefined, flags: BenchFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const { cases, queries, format } = flags;
  const meaning = flags.words ? await openWordTable() : ok(noMeaning);
  if (!meaning.ok) return refuse(output, meaning.error, exitCodes.failed);
  if (format !== undefined && path !== undefined && cases === undefined && queries === undefined)
    return benchChats(output, { name: format, path, meaning: meaning.value });
  if (format === undefined && path === undefined && cases !== undefined && queries !== undefined)
    return benchFiles(output, { cases, queries, preset: flags.preset, meaning: meaning.value });
  return refuse(output, 'give --cases FILE and --queries FILE, or --format NAME and a file or directory');
}

async function benchFiles(
  output: Output,
  {
    cases,
    queries,
    preset,
    meaning,
  }: Required<Pick<BenchFlags, 'cases' | 'queries' | 'preset'>> & { readonly meaning: Meaning },
): Promise<number> {
  const [caseText, queryText] = [await readText(cases), await readText(queries)];
  if (!caseText.ok) return refuse(output, caseText.error);
  if (!queryText.ok) return refuse(output, queryText.error);
  const known = parseCases(cases, caseText.value);
  if (!known.ok) return refuse(output, known.error);
  const asked = parseQueries(queries, queryText.value, known.value);
  if (!asked.ok) return refuse(output, asked.error);
  const bench = benchCases(known.value.values(), asked.value, { meaning, weights: presets[preset], nowMs });
  output.lines(renderCaseBench(preset, bench));
  output.data({ preset, ...bench });
  return exitCodes.done;
}

async function benchChats(
  output: Output,
  { name, path, meaning }: { readonly name: FormatName; readonly path: string; readonly meaning: Meaning },
): Promise<number> {
  const format: ConversationFormat = formats[name];
  const files = await filesBelow(path, format);
  if (!files.ok) return refuse(output, files.error);
  const conversations: Conversation[] = [];
  for (const file of files.value) {
    const parsed = await parseFile(file, format);
    if (!parsed.ok) return refuse(output, parsed.error);
    conversations.push(...parsed.value);
  }
  const outcomes: Outcome[] = [];
  for (const [at, conversation] of conversations.entries()) {
    const { id, records, questions } = conversation;
    output.note(
      `${at + 1} of ${conversations.length}: ${id}, ${records.length} messages, ${questions.length} questions`,
      'Quiet',
    );
    outcomes.push(...benchConversation(conversation, { meaning, nowMs }));
  }
  if (outcomes.length === 0) return refuse(output, `${path}: has no question whose evidence is among the messages`);
  const bench = sumUp(conversations, outcomes, format.counted);
  output.lines(renderConversationBench(format.licence, bench));
  output.data({ format: name, licence: format.licence, ...bench });
  return exitCodes.done;
}

async function parseFile(file: string, format: ConversationFormat): Promise<Result<readonly Conversation[], string>> {
  const text = await readText(file);
  if (!text.ok) return text;
  return format.parse({ file, text: text.value }, async (path) => {
    const beside = await readText(join(dirname(file), path));
    return beside.ok ? beside.value : undefined;
  });
}

/** The file itself, or those of the format in the directory and below it. */
async function filesBelow(
  path: string,
  { fileEnding }: ConversationFormat,
): Promise<Result<readonly string[], string>> {
  try {
    if (!(await stat(path)).isDirectory()) return ok([path]);
    const names = await readdir(path, { recursive: true });
    const files = names.filter((name) => name.endsWith(fileEnding)).toSorted();
    return files.length > 0
      ? ok(files.map((name) => join(path, name)))
      : err(`${path}: no file there ends with ${fileEnding}`);
  } catch (error) {
    return err(`${path}: ${(error as Error).message}`);
  }
}

async function readText(file: string): Promise<Result<string, string>> {
  try {
    return ok(await readFile(file, 'utf8'));
  } catch (error) {
    return err(`${file}: ${(error as Error).message}`);
  }
}
