/**
 * A tool by which who works asks a person: for an answer, or for leave in advance. The cycle answers it; nothing executes it.
 *
 * Source: reliability-security 4; artoo A.15 (Law 1).
 */
import { invariant } from '@retainer/contract/std/invariant';
import { ownFacts, touchesNothing } from './plain-tool.ts';
import type { OfferedTool, ToolDescriptor } from './tool.ts';

export function controlTool<Input>(
  name: string,
  showsPeople: boolean,
  offered: Pick<OfferedTool<Input>, 'description' | 'input'>,
): ToolDescriptor<Input> {
  return {
    facts: { ...ownFacts, name, effectClass: 0, showsPeople, target: { kind: 'Place', parts: [] } },
    offer: () => ({
      ...offered,
      timeoutMs: 0,
      touches: touchesNothing,
      run: () => {
        invariant(false, `${name} is answered by the cycle and never executed`);
        return Promise.reject(new Error('never executed'));
      },
    }),
  };
}
