/**
 * Facts about a call that only the environment can supply, such as whether a file existed. They are recorded with the model's
 * answer, and the gate judges by the record.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { CycleInput } from '@retainer/mind/cycle/event';
import type { CycleParts } from './cycle-driver.ts';

type Answered = Extract<CycleInput, { kind: 'ModelAnswered' }>;

type ToolUse = Extract<Answered['answer']['content'][number], { type: 'ToolUse' }>;

const isReadable = (block: Answered['answer']['content'][number]): block is ToolUse =>
  block.type === 'ToolUse' && block.fault === undefined;

type KnownHere = Pick<
  Answered,
  'secretUses' | 'replacements' | 'standing' | 'toolAsks' | 'deniedBefore' | 'choicesSpent'
>;

/** Ids of the tool uses; empty when there are none. */
export async function usesKnownHere(
  { content }: Answered['answer'],
  { holdsSecret, executor }: Pick<CycleParts, 'holdsSecret' | 'executor'>,
  choicesSpent: (tool: string) => Readonly<Record<string, number>> | undefined,
  runId: string,
): Promise<KnownHere> {
  const secretUses: string[] = [];
  const replacements: string[] = [];
  const standing: NonNullable<Answered['standing']> = [];
  const toolAsks: NonNullable<Answered['toolAsks']> = [];
  const deniedBefore: NonNullable<Answered['deniedBefore']> = [];
  for (const block of content.filter(isReadable)) {
    if (holdsSecret(canonicalJson(block.input))) secretUses.push(block.id);
    if (await executor.replaces(block.name, block.input)) replacements.push(block.id);
    const stands = await executor.standing(block.name, block.input);
    if (stands !== undefined) standing.push({ use: block.id, ...stands });
    const reason = executor.asks(block.name, block.input);
    if (reason !== undefined) toolAsks.push({ use: block.id, reason });
    const denied = executor.deniedBefore(block.name, block.input, runId);
    if (Object.keys(denied).length > 0) deniedBefore.push({ use: block.id, ...denied });
  }
  const spent = content
    .map((it) => (it.type === 'ToolUse' ? choicesSpent(it.name) : undefined))
    .find((it) => it !== undefined);
  return filled({ secretUses, replacements, standing, toolAsks, deniedBefore, choicesSpent: { ...spent } });
}

/** Without what is empty. */
function filled(known: Required<KnownHere>): KnownHere {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => Object.keys(value).length > 0));
}
