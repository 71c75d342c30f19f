/** The long texts that a gate is about to judge, read before the decision: a slice at a time, so that the one thread stays free. */
import { roleRow } from '@retainer/contract/api/roles';
import { textsIn } from '../gate/chain/rule-reading.ts';
import type { Sliced } from '../gate/text/pace.ts';
import type { Draft } from './draft.ts';
import { agentName } from './event.ts';

/**
 * A text that is missed here, or that only the end of a cycle judges, is read within the decision: later, but with the same findings.
 *
 * @param draft  as the decision on an input begins
 */
export function* readTexts({ state, config }: Draft): Sliced<void> {
  const { spec, messages, openCalls, reply } = state;
  const { texts } = config.gate;
  const agent = agentName(spec);
  if (messages.length === 0 && roleRow(spec.role).told !== 'Record')
    yield* texts.readAhead('Input', spec.judged ?? spec.input, agent);
  if (reply !== undefined) yield* texts.readAhead('Output', reply.outgoing, agent);
  for (const { input, result } of openCalls)
    if (result === undefined) for (const { text } of textsIn(input)) yield* texts.readAhead('Tool', text, agent);
}
