/** `retainer memory remember|teach|forget|endorse|case|tend`: a person's word about what an agent remembers. */
import { rememberedIn, type Remembered } from '@retainer/agent-pod/review/memory-records';
import { systemClock } from '@retainer/contract/std/system-clock';
import { FactKey, MAX_VALUE_CHARACTERS } from '@retainer/mind/parts/facts/fact-key';
import { lessonFields, type LESSON_CATEGORIES } from '@retainer/mind/parts/megrams/lesson';
import { z } from 'zod';
import { askRecord } from '../access/ask-record.ts';
import { besideAgent } from '../access/open-access.ts';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { leaveWord, type PersonsWord } from '../leave-word.ts';
import { createOutput, type Output } from '../output.ts';
import { refuse } from '../refuse.ts';
import { unknown, type MemoryFlags } from './memory.ts';

export interface MemoryChangeFlags extends MemoryFlags {
  readonly reason: string;
}

export function rememberCommand(key: string, value: string, flags: MemoryChangeFlags): Promise<number> {
  return changing(['remember'], [key, value], flags, ({ output }) => {
    if (!FactKey.safeParse(key).success)
      return refuse(output, `${JSON.stringify(key)} is no key: lower-case letters and digits, joined by . / - or _`);
    if (value === '' || value.length > MAX_VALUE_CHARACTERS)
      return refuse(output, `the value must have 1 to ${MAX_VALUE_CHARACTERS} characters`);
    return { change: { type: 'Remember', key, value }, told: `fact:${key} holds until a person says otherwise` };
  });
}

export interface TeachFlags extends MemoryChangeFlags {
  readonly tag: readonly string[];
  readonly category: (typeof LESSON_CATEGORIES)[number];
  readonly call?: readonly string[];
}

/** A call as typed: `TOOL`, or `TOOL:TARGET`. */
function callOf(typed: string): { readonly tool: string; readonly target: string } {
  const [tool = '', ...target] = typed.split(':');
  return { tool, target: target.join(':') };
}

export function teachCommand(lesson: string, flags: TeachFlags): Promise<number> {
  const { tag: tags, category, call = [] } = flags;
  const options = [`--category=${category}`, ...tags.map((it) => `--tag=${it}`), ...call.map((it) => `--call=${it}`)];
  return changing(['teach', ...options], [lesson], flags, ({ output }) => {
    const taught = z.object(lessonFields).safeParse({ lesson, tags, category, calls: call.map(callOf) });
    if (!taught.success) return refuse(output, taught.error.issues.map(faultOf));
    return {
      change: { type: 'Teach', ...taught.data },
      told: `every plan is told this lesson${category === 'Constraint' ? ', which binds' : ''}`,
    };
  });
}

function faultOf({
  path: [field],
  message,
}: {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}): string {
  return `${field === 'tags' ? 'give --tag two to five times, each a word or two' : String(field)}: ${message}`;
}

export function forgetCommand(id: string, flags: MemoryChangeFlags): Promise<number> {
  return changing(['forget'], [id], flags, async ({ output, find }) => {
    const found = await find(id);
    if (found === undefined) return refuse(output, unknown(id));
    return { change: forgetting(found), told: `${found.id} is told to nobody any more; the record keeps it` };
  });
}

function forgetting({ what, id }: Remembered): Change {
  switch (what) {
    case 'Fact':
      return { type: 'ForgetFact', key: keyOf(id) };
    case 'Megram':
      return { type: 'ForgetMegrams', ids: [id] };
    case 'Run':
      return { type: 'ForgetRun', runId: id };
    case 'Case':
      return { type: 'CurateCase', caseId: id, how: 'Suppress' };
  }
}

function keyOf(id: string): string {
  return id.slice('fact:'.length);
}

export function endorseCommand(id: string, flags: MemoryChangeFlags): Promise<number> {
  return changing(['endorse'], [id], flags, async ({ output, find }) => {
    const found = await find(id);
    if (found === undefined) return refuse(output, unknown(id));
    return { change: endorsing(found), told: `the words of ${found.id} are believed as yours` };
  });
}

/** A fact that a person endorses is a fact that they say. */
function endorsing({ what, id, text }: Remembered): Change {
  switch (what) {
    case 'Fact':
      return { type: 'Remember', key: keyOf(id), value: text };
    case 'Megram':
      return { type: 'EndorseMegrams', ids: [id] };
    case 'Run':
      return { type: 'EndorseRun', runId: id };
    case 'Case':
      return { type: 'CurateCase', caseId: id, how: 'Endorse' };
  }
}

/** What a person does to a case, as typed. */
const curations = {
  correct: { how: 'Correct', told: 'counts as you say' },
  annotate: { how: 'Annotate', told: 'has your note' },
  suppress: { how: 'Suppress', told: 'is recalled no more' },
  unsuppress: { how: 'Unsuppress', told: 'is recalled again' },
  boost: { how: 'Boost', told: 'was useful, as you say' },
} as const;
export type CurationWord = keyof typeof curations;

export function curateCommand(word: CurationWord, id: string, flags: MemoryChangeFlags): Promise<number> {
  return changing(['case', word], [id], flags, async ({ output, find }) => {
    const found = await find(id);
    if (found?.what !== 'Case')
      return refuse(output, `there is no case ${JSON.stringify(id)}; retainer memory show lists them`);
    const { how, told } = curations[word];
    return { change: { type: 'CurateCase', caseId: id, how }, told: `${id} ${told}` };
  });
}

export function tendCommand(flags: MemoryChangeFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const command = { words: ['memory', 'tend', `--reason=${flags.reason}`], arguments: [], tells: true } as const;
  return besideAgent(flags, command, { output, here: () => tendHere(flags, output) });
}

async function tendHere({ data, reason }: MemoryChangeFlags, output: Output): Promise<number> {
  const directory = await findDataDirectory(data);
  if (!directory.ok) return refuse(output, directory.error);
  output.data(await leaveWord(directory.value, { type: 'TendMemory', reason }));
  output.line('the agent tends its memory as soon as it runs', 'Good');
  return exitCodes.done;
}

interface Asked {
  readonly output: Output;
  /** What is remembered under an id at this moment. */
  readonly find: (id: string) => Promise<Remembered | undefined>;
}

/** What a person says of memory, before they say why. */
type Change = PersonsWord extends infer Word
  ? Word extends { readonly reason: string }
    ? Omit<Word, 'reason'>
    : never
  : never;
type Wanted = { readonly change: Change; readonly told: string };
type Want = (asked: Asked) => Wanted | number | Promise<Wanted | number>;

/** Leaves a change for the agent, if there is one to leave. @param words  of the command below `memory` */
function changing(
  words: readonly string[],
  given: readonly string[],
  flags: MemoryChangeFlags,
  wanted: Want,
): Promise<number> {
  const { reason } = flags;
  const command = { words: ['memory', ...words, `--reason=${reason}`], arguments: given, tells: true } as const;
  return askRecord(flags, command, async ({ output, directory, reader }) => {
    const find: Asked['find'] = async (id) =>
      (await rememberedIn(reader, systemClock.nowMs())).find((it) => it.id === id);
    const asked = await wanted({ output, find });
    if (typeof asked === 'number') return asked;
    output.data(await leaveWord(directory, { ...asked.change, reason }));
    output.line(`${asked.told}; the agent reads this when it runs`, 'Good');
    return exitCodes.done;
  });
}
