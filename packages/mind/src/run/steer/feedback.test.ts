import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { scenarios } from '../../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind } from '../../../../../test/support/run-world.ts';
import { Plan } from '../../request/answers/plan.ts';
import { call } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { feedbackMegrams } from './feedback.ts';

const rule = {
  id: 'c1',
  space: 'intent:do_work',
  entity: 'env:local',
  content: 'Read with read_file first.',
  sigma: 1,
};
const failed = call('read_file', 'data.csv', { status: 'Error' });

describe('advice', () => {
  it.each([
    ['names the tool that ran', rule, [failed], 1],
    ['is about the tool that ran', { ...rule, space: 'tool:read_file', content: 'It is fast.' }, [failed], 1],
    ['is about another tool', { ...rule, space: 'tool:run_code' }, [failed], 0],
    ['names no tool', { ...rule, content: 'Sum by month.' }, [failed], 0],
    ['names a longer word', { ...rule, content: 'Use read_file_twice.' }, [failed], 0],
    ['forbids', { ...rule, sigma: -1 }, [failed], 0],
    ['was refused before it ran', rule, [call('read_file', 'data.csv', { status: 'Unrun' })], 0],
    ['was followed by nothing', rule, [], 0],
  ] as const)('that %s', (_, advice, calls, count) => {
    expect(
      feedbackMegrams([
        { ...advice, calls },
        { ...advice, calls },
      ]),
    ).toHaveLength(count);
  });
});

describe('a run that was shown a rule', () => {
  const answer = (content: string): MemoryAnswer => ({
    space: rule.space,
    entity: rule.entity,
    rules: [{ id: rule.id, content, sigma: 1 }],
    recent: [],
    potentials: { attention: 1, decision: 1, action: 'Exploit' },
  });
  /** Its plans name these lines of memory. */
  const citing =
    (mind: Mind, basedOn: readonly string[]): Mind =>
    (purpose, spec) => {
      const thinking = mind(purpose, spec);
      const plan = Plan.safeParse(thinking?.value);
      if (thinking === undefined || !plan.success) return thinking;
      const subtasks = plan.data.subtasks.map((it) => ({ ...it, basedOn: [...basedOn] }));
      return { ...thinking, value: { ...plan.data, subtasks } };
    };
  const against = (name: string, content: string, basedOn: readonly string[] = ['m1']): readonly unknown[] => {
    const scenario = scenarios.find((it) => it.name === name);
    if (scenario === undefined) throw new Error(`no scenario ${name}`);
    const mind = citing(scenario.mind, basedOn);
    const world = new RunWorld({ ...scenario, mind, memory: [answer(content)] }).play();
    const written = world.messages().flatMap((it) => (it.type === 'MemoryWrite' ? it.payload.megrams : []));
    return written.filter((it) => it.space === rule.space && it.content.includes('following the advice'));
  };

  verifies('steer:advice-is-blamed', 'is abandoned: one memory against the rule, in its own space', () => {
    expect(against('abandoned', rule.content)).toMatchObject([
      { level: 'M', entity: 'env:local', state: 'Abandon', f: 0.95, sigma: -1, k: 0.05 },
    ]);
  });

  verifies(
    'memory:shown-is-not-cited',
    'is abandoned, and its plans cited nothing, or what was not shown: none',
    () => {
      expect(against('abandoned', rule.content, [])).toEqual([]);
      expect(against('abandoned', rule.content, ['m2', 'c1'])).toEqual([]);
    },
  );

  verifies('steer:advice-is-blamed', 'is abandoned, or not, without having used it: none', () => {
    expect(against('abandoned', 'Ask by fetch_url.')).toEqual([]);
    expect(against('replanned', rule.content)).toEqual([]);
    expect(against('plain', rule.content)).toEqual([]);
  });
});
