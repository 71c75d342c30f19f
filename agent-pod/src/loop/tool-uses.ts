/**
 * Facts about a call that only the environment can supply, such as whether a file existed. They are recorded with the model's
 * answer, and the gate judges by the record.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { gateContext } from '@retainer/mind/cycle/draft';
import type { CycleInput } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
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
  { holdsSecret, executor, config }: Pick<CycleParts, 'holdsSecret' | 'executor' | 'config'>,
  choicesSpent: (tool: string) => Readonly<Record<string, number>> | undefined,
  state: CycleState,
): Promise<KnownHere> {
  const secretUses: string[] = [];
  const replacements: string[] = [];
  const standing: NonNullable<Answered['standing']> = [];
  const toolAsks: NonNullable<Answered['toolAsks']> = [];
  const deniedBefore: NonNullable<Answered['deniedBefore']> = [];
  for (const block of content.filter(isReadable)) {
    if (holdsSecret(canonicalJson(block.input))) secretUses.push(block.id);
    if (await executor.replaces(block.name, block.input)) replacements.push(block.id);
    const reason = executor.asks(block.name, block.input);
    const isLookedAt = reason !== undefined || mayNeedLeave(block, state, config);
    const stands = isLookedAt ? await executor.standing(block.name, block.input) : undefined;
    if (stands !== undefined) standing.push({ use: block.id, ...stands });
    if (reason !== undefined) toolAsks.push({ use: block.id, reason });
    const denied = executor.deniedBefore(block.name, block.input, state.spec.runId);
    if (Object.keys(denied).length > 0) deniedBefore.push({ use: block.id, ...denied });
  }
  const spent = content
    .map((it) => (it.type === 'ToolUse' ? choicesSpent(it.name) : undefined))
    .find((it) => it !== undefined);
  return filled({ secretUses, replacements, standing, toolAsks, deniedBefore, choicesSpent: { ...spent } });
}

/**
 * Whether it is worth looking for all files that a program names, which takes as long as a walk over the workspace. Where this says no
 * and a person is asked all the same, the answer finds what stands there, and they are asked about that.
 */
function mayNeedLeave({ name, input }: ToolUse, state: CycleState, config: CycleParts['config']): boolean {
  const { approvalMode = 'ByPolicy', override } = state.spec;
  const isOpen = approvalMode !== 'ByPolicy' || override !== undefined || state.approvals.length > 0;
  if (isOpen || !config.catalog.known.factsOf(name).runsCode) return true;
  const call = config.catalog.parse(name, input);
  return call.ok && config.gate.tool(call.value, gateContext({ state, config })).kind !== 'Accept';
}

/** Without what is empty. */
function filled(known: Required<KnownHere>): KnownHere {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => Object.keys(value).length > 0));
}
