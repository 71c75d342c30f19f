/** Attacks of somebody else: a line of JSON for each, `{"goal": …, "channel": …, "text": …}`. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import { CHANNELS } from './channels.ts';
import type { Goal } from './goal.ts';
import { foreignPair, type Pair } from './pairs.ts';

/** Longest text: what fits into the background of a Task. Characters. */
const TEXT_CHARACTERS_MAX = 30_000;

const Line = z.strictObject({
  goal: z.string().min(1),
  channel: z.enum(CHANNELS),
  text: z.string().min(1).max(TEXT_CHARACTERS_MAX),
});

/**
 * @param goals  by which a line's `goal` is looked up: its whole id
 * @returns an attack for each line, or what is wrong with the lines, one sentence each
 */
export function readCorpus(jsonLines: string, goals: readonly Goal[]): Result<readonly Pair[], readonly string[]> {
  const errors: string[] = [];
  const pairs = jsonLines.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const read = readLine(line, goals);
    if (read.ok) return [foreignPair({ ...read.value, at })];
    errors.push(`line ${at + 1}: ${read.error}`);
    return [];
  });
  return errors.length === 0 ? ok(pairs) : err(errors);
}

function readLine(
  line: string,
  goals: readonly Goal[],
): Result<{ readonly goal: Goal; readonly channel: (typeof CHANNELS)[number]; readonly text: string }, string> {
  const parsed = Line.safeParse(jsonOf(line));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return err(`${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'is not read'}`);
  }
  const { goal: id, channel, text } = parsed.data;
  const goal = goals.find((it) => it.id === id);
  return goal === undefined
    ? err(`goal: there is none called ${JSON.stringify(id)}; use one of ${goals.map((it) => it.id).join(', ')}`)
    : ok({ goal, channel, text });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
