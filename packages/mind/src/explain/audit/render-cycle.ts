/** Renders one cycle in full: where it stands in the tree of its run, then every record of it with all that it says. */
import { renderCost, renderCount, renderPlural } from '../figures.ts';
import { renderSteps, type StoryStyle } from '../render-story.ts';
import type { StoryLine, StoryStep } from '../../part/story.ts';
import { promptTokensOf, type Spent } from '../spending.ts';

/** A node of the tree, as far as it is shown. */
export interface TreeNode {
  readonly id: string;
  readonly runId: string;
  readonly parentId?: string;
  readonly name: string;
  readonly startedAtMs: number;
  readonly outcome: string;
  readonly models: readonly string[];
  readonly calls: readonly unknown[];
  readonly own: { readonly answers: number } & Pick<Spent, 'usage' | 'costUsd' | 'isCostComplete'>;
}

export interface AuditedCycle<Node extends TreeNode = TreeNode> {
  readonly id: string;
  /** Of its run, parents first. */
  readonly tree: readonly Node[];
  /** Oldest first. */
  readonly steps: readonly StoryStep[];
}

export function renderCycle({ id, tree, steps }: AuditedCycle, instant: StoryStyle['instant']): readonly StoryLine[] {
  const node = tree.find((it) => it.id === id);
  const startedAtMs = node?.startedAtMs ?? steps[0]?.atMs ?? 0;
  return [
    { tone: 'Quiet', text: 'cycles of the run' },
    ...tree.map((it): StoryLine => ({ tone: it.id === id ? 'Good' : 'Plain', text: nodeLine(it, tree, id) })),
    { tone: 'Plain', text: '' },
    { tone: 'Plain', text: `Cycle ${id}: ${node?.name ?? 'unknown'}, started ${instant(startedAtMs)}` },
    { tone: 'Plain', text: '' },
    ...renderSteps(steps, startedAtMs, { full: true, instant }),
  ];
}

function nodeLine(node: TreeNode, tree: readonly TreeNode[], id: string): string {
  const mark = node.id === id ? '→' : ' ';
  const { answers, usage, costUsd, isCostComplete } = node.own;
  const spent =
    answers === 0
      ? 'no model asked'
      : `${renderPlural(answers, 'answer')}, ${renderCount(promptTokensOf(usage))} tokens in, ${renderCount(usage.outputTokens)} out, ${renderCost(costUsd, isCostComplete)}`;
  const calls = node.calls.length === 0 ? '' : `, ${renderPlural(node.calls.length, 'call')}`;
  return `${mark} ${'  '.repeat(depthOf(node, tree))}${node.id}  ${node.name}  ${node.outcome}: ${spent}${calls}`;
}

function depthOf({ parentId }: TreeNode, tree: readonly TreeNode[]): number {
  const parent = tree.find(({ id }) => id === parentId);
  return parent === undefined ? 0 : 1 + depthOf(parent, tree);
}
