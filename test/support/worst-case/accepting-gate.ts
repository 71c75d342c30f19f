/** A gate that lets everything pass, for showing what it would be like without one. Only tests can make it. */
import { compileGate } from '@retainer/mind/gate/compile-gate';
import { settled } from '@retainer/mind/gate/verdict-steps';
import type { GateName, Verdict } from '@retainer/mind/gate/verdict';
import { testTools } from '../known-tools.ts';
import type { Gate } from '@retainer/mind/gate/gate';

export function acceptingGate(characterDigest: string): Gate {
  const empty = compileGate({}, characterDigest, testTools);
  if (!empty.ok) throw new Error(empty.error.join('\n'));
  const accept = (gate: GateName): Verdict => ({ gate, kind: 'Accept', rule: 'none', reason: 'There is no gate.' });
  return {
    ...empty.value,
    tool: () => accept('Tool'),
    next: (inquiry) => {
      const step = empty.value.next(inquiry);
      if (step.kind !== 'Decided') throw new Error('a character without features asks no model');
      return settled({ ...step, verdict: accept(inquiry.subject.gate), action: { kind: 'Proceed' } }, inquiry);
    },
    readOnlyPaths: [],
    freeFiles: () => undefined,
  };
}
