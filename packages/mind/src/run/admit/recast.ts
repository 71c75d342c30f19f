/** An open run under another character: what its models are told from now on, and whether its Task may go on. Pure. */
import { executorDuties, workers } from '../../agents/workers.ts';
import { assembleSystemPrompt, identityText } from '../../assemble/system-prompt.ts';
import { agentName } from '../../cycle/event.ts';
import { noPast } from '../../cycle/evolve-gate.ts';
import type { Gate } from '../../gate/gate.ts';
import type { CharacterTexts, RunEventOf } from '../event.ts';
import type { RunState } from '../state.ts';
import type { AgentDefinition } from './run-spec.ts';

export function characterTexts({ character: { spec }, skills, ...definition }: AgentDefinition): CharacterTexts {
  return {
    identity: identityText(spec),
    executor: [...assembleSystemPrompt(spec, skills, executorDuties)],
    workers: (definition.workers ?? workers).map(({ name, duties }) => ({
      name,
      system: [...assembleSystemPrompt(spec, skills, duties, name)],
    })),
    ...(spec.confidential === true ? { confidential: true as const } : {}),
  };
}

/**
 * What the rules of the input gate say to the words that the perceiver read. Words that it has not read yet pass the gate when it
 * does; a rule that needs a score judges nothing here.
 */
export function refusedAnew(gate: Gate, state: RunState): RunEventOf<'CharacterChanged'>['refused'] {
  const read = [...state.roleCycles.values()].findLast(({ purpose }) => purpose.role === 'Perceiver')?.spec;
  if (read === undefined) return undefined;
  const { cycleId, autonomous, input, judged = input, addresses = [], asked, override } = read;
  const known = { cycleId, items: [], addresses, instructions: [input], ...(asked === undefined ? {} : { asked }) };
  const given = { approvals: [], read: known, ...(override === undefined ? {} : { override }) };
  const step = gate.next({
    subject: { gate: 'Input', text: judged },
    context: { agent: agentName(read), autonomous, nowMs: state.nowMs, ...given },
    background: '',
    past: noPast,
    answers: {},
  });
  if (step.kind !== 'Decided' || step.action.kind === 'Proceed') return undefined;
  const { rule, reason } = step.verdict;
  return { gate: 'Input', rule, reason };
}
