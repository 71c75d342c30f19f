/** What the tools that read memory have in common: effect class 0, one target at most, and the label of what they show. */
import { joinAll, type Label } from '@retainer/mind/gate/provenance/label';
import type { DeclaredFacts } from '@retainer/mind/gate/tool-facts';
import type { ToolOutput } from './tool.ts';
import { ownFacts } from './plain-tool.ts';

/** @param target  the argument that names what is asked for; absent: none does */
export function memoryFacts(name: string, target?: string): DeclaredFacts {
  return {
    ...ownFacts,
    name,
    effectClass: 0,
    // The outcome carries the label of what it shows. This one is for what nobody labelled.
    output: { source: 'Memory', trust: 'Untrusted', readers: 'Principal' },
    target: { kind: 'Place', parts: target === undefined ? [] : [{ member: target, as: 'Line' }] },
  };
}

const nothingRead: Label = { source: { kind: 'Memory' }, trust: 'Trusted', readers: 'Everyone' };

/** @param shown  what the text is of; it has the worst of their labels, and none if one of them has none */
export function toldFromMemory(text: string, shown: readonly { readonly label?: Label }[]): ToolOutput {
  const labels = shown.flatMap(({ label }) => label ?? []);
  if (labels.length < shown.length) return { isError: false, text };
  const joined = joinAll(labels);
  const label = joined === undefined ? nothingRead : { ...joined, source: { kind: 'Memory' as const } };
  return { isError: false, text, label };
}
