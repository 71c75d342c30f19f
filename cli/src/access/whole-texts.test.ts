import { describe, expect, it } from 'vitest';
import { task } from '../../../test/support/agents.ts';
import { AccessError, type WaitingRequest } from './agent-access.ts';
import { wholeTexts } from './whole-texts.ts';

const agents: Readonly<Record<string, string>> = { one: 'ada', two: 'ada', three: 'bob' };
const tasks = Object.entries(agents).map(([name, agent]) => task(name, 'work', { agentRef: { name: agent } }));

const callOf = (name: string, effect: string): WaitingRequest => ({
  ...{ requestId: `${name}-1`, task: name, tool: 'write_file', effectClass: 2, argumentsDigest: 'ab', expiresAtMs: 0 },
  ...{ effect: [effect], json: {} },
});
const cut = Object.keys(agents).map((name) => callOf(name, 'a [… 9 characters are not shown here …] z'));

/** A namespace of these Tasks; counts what it is asked. */
function namespace(textOf: (agent: string) => string) {
  const asked: string[] = [];
  const list = async () => {
    asked.push('list');
    return tasks;
  };
  const find = async (typed: string, listed = list()) => {
    const found = (await listed).find(({ metadata }) => metadata.name === typed);
    if (found === undefined) throw new AccessError(`no Task ${typed}`);
    return found;
  };
  const text = async (agent: string) => {
    asked.push(agent);
    return textOf(agent);
  };
  return { asked, tasks: { list, find }, record: { text } };
}

const recorded = JSON.stringify(
  cut.map(({ requestId, argumentsDigest }) => {
    const effect = { line: `whole ${requestId}`, details: ['a', 'z'] };
    return { requestId, argumentsDigest, reason: 'asks', effect };
  }),
);

describe('the whole texts of cut calls', () => {
  it('come from one list and one answer of each agent', async () => {
    const here = namespace(() => recorded);
    const whole = await wholeTexts(cut, here.tasks, here.record);
    expect(whole.map(({ effect }) => effect[0])).toEqual(cut.map((it) => `effect: whole ${it.requestId}`));
    expect(here.asked).toEqual(['list', 'ada', 'bob']);
  });

  it('are not asked for where no call is cut', async () => {
    const here = namespace(() => recorded);
    const calls = [callOf('one', 'a to z')];
    expect(await wholeTexts(calls, here.tasks, here.record)).toEqual(calls);
    expect(here.asked).toEqual([]);
  });

  it('stay cut with the reason in each, where their agent does not answer', async () => {
    const here = namespace((agent) => {
      if (agent === 'ada') throw new AccessError('there is no pod');
      return recorded;
    });
    const whole = await wholeTexts(cut, here.tasks, here.record);
    const why = ['the whole text stands in the record only:', '  there is no pod'];
    expect(whole.map(({ effect }) => effect.slice(1))).toEqual([why, why, ['  a', '  z']]);
    expect(here.asked).toEqual(['list', 'ada', 'bob']);
  });
});
