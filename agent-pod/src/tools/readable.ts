/**
 * What a tool shows in a run for somebody else than the owner. What is the owner's own is shown, since answers are made of it, and the
 * gates keep what may not be told. What another correspondent gave is not shown at all.
 */
import { isOfAnother, OWNER, type Label } from '@retainer/mind/gate/provenance/label';
import type { ToolContext, ToolOutput } from './tool.ts';
import { ownWords } from './workspace-labels.ts';

/** @param label  absent: nobody knows whose words they are, so they count as the owner's */
export function mayShow({ principal }: Pick<ToolContext, 'principal'>, label: Label | undefined): boolean {
  return principal === OWNER || label === undefined || !isOfAnother(label.readers, principal);
}

/** What a tool says of something that it may not show. */
export function withheldOutput(name: string): ToolOutput {
  const text = `[withheld] What ${name} found is of another correspondent, and this work may not read it.`;
  return { isError: true, text, label: ownWords };
}

/** The answer of a tool for the agent's own affairs, where the run is not the owner's; undefined: it is. */
export function ownersOnly({ principal }: Pick<ToolContext, 'principal'>, name: string): ToolOutput | undefined {
  if (principal === OWNER) return undefined;
  const text = `${name} tells of the agent's own affairs, and this work is for a correspondent: it may not read them.`;
  return { isError: true, text, label: ownWords };
}
