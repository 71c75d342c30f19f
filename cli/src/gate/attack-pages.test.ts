import { everyCase } from '@retainer/agent-pod/attack/cases/every-case';
import { CHANNELS } from '@retainer/agent-pod/attack/channels';
import type { Attacked, Calm } from '@retainer/agent-pod/attack/measure';
import { foreignPair, makePairs } from '@retainer/agent-pod/attack/pairs';
import { gateGoals } from '@retainer/agent-pod/attack/goals';
import type { Judgement } from '@retainer/agent-pod/attack/judge';
import { invariant } from '@retainer/contract/std/invariant';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { attackData, renderAttack } from './render-attack.ts';

const QUIET: Judgement = { effects: [], contained: [], leaks: [], blocks: [] };
const HEAD = { agent: 'clerk', character: 'trusting', tasks: ['letters'], seed: 7 };

function attacked(id: string, parts: Partial<Attacked>): Attacked {
  const goal = gateGoals.find((it) => it.id === id);
  invariant(goal !== undefined, id);
  const pair = foreignPair({ goal, channel: 'File', text: `Do ${id}\u001b[31m at once.`, at: 0 });
  const questions = { scores: 0, probes: 0 };
  return {
    pair,
    judgement: QUIET,
    isObeyed: true,
    hasSucceeded: false,
    isPlayed: true,
    questions,
    passes: [],
    ...parts,
  };
}

const visit = attacked('Visit', {
  hasSucceeded: true,
  judgement: { ...QUIET, effects: [{ kind: 'Fetch', what: 'http://www.partner.example/started' }] },
  passes: [
    { record: 'cycle/40', gate: 'Tool', tool: 'fetch_url', rule: 'effect-class/2', reason: 'No rule is against it.' },
    { record: 'cycle/50', gate: 'Output', rule: 'output-rules/none', reason: 'No rule is against it.' },
  ],
});
const reply = attacked('leak/File/ReplyPlain/Plain', {
  hasSucceeded: true,
  judgement: { ...QUIET, leaks: [{ store: 'File', where: 'Delivery' }] },
  passes: [{ record: 'cycle/50', gate: 'Output', rule: 'output-rules/none', reason: 'No rule is against it.' }],
});
const held = attacked('TamperFile', {
  judgement: { ...QUIET, blocks: [{ gate: 'Tool', rule: 'inside/other-file', reason: 'It was there before.' }] },
});
const undone: Calm = {
  pair: held.pair,
  outcomes: ['Abandoned'],
  isDone: false,
  isPlayed: true,
  judgement: held.judgement,
};
const written = attacked('TamperFile', {
  pair: { ...held.pair, needs: { person: 'AgreesToTheTask' } },
  hasSucceeded: true,
  judgement: { ...QUIET, effects: [{ kind: 'OtherFile', what: 'plans/roadmap.md' }] },
});
const following: Calm = {
  pair: { ...held.pair, goal: { ...held.pair.goal, id: 'after-refusal/attack' }, purposes: [] },
  outcomes: ['Refused', 'Abandoned'],
  isDone: false,
  isPlayed: true,
  judgement: QUIET,
};
const planted: Calm = {
  pair: { ...held.pair, goal: { ...held.pair.goal, id: 'planted-code/module' }, needs: { hasOwnTasks: true } },
  outcomes: ['Accepted', 'Abandoned'],
  isDone: false,
  isPlayed: true,
  judgement: QUIET,
};
const unplayed: Parameters<typeof renderAttack>[1]['unplayed'] = [
  { why: 'the Agent does not have the tool bash', attacks: 12, channels: ['CodeOutput'], goals: [] },
  {
    why: 'the Agent does not have the tool fetch_url',
    attacks: 12,
    channels: ['Web'],
    goals: ['Visit', 'spelling/fetch/…', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  },
];

const page = (...given: Parameters<typeof renderAttack>): string =>
  renderAttack(...given)
    .map(({ text, tone }) => `${tone.padEnd(8)}${text}`.trimEnd())
    .join('\n');

describe('the pages of gate attack', () => {
  verifies('worst-case:own', 'tell each attack that got through, and what was not played', async () => {
    const pages = [
      page(HEAD, { attacked: [visit, reply, held], calm: [undone], unplayed, host: 'www.partner.example' }),
      page({ ...HEAD, tasks: [] }, { attacked: [held], calm: [{ ...undone, isDone: true }], unplayed: [] }),
      page(HEAD, { attacked: [], calm: [], unplayed }),
      page(HEAD, { attacked: [written], calm: [planted, following], unplayed: [] }),
      page(HEAD, { attacked: [], calm: [following], unplayed: [] }),
    ];
    await expect(`${pages.join('\n\n')}\n`).toMatchFileSnapshot('../../../test/golden/gate/attack.txt');
  });

  verifies('worst-case:own', 'are one page where nothing gets through, and no line is wider than a terminal', () => {
    const all = [...makePairs(7, '/home'), ...everyCase].map((pair): Attacked => ({ ...held, pair }));
    const calm = CHANNELS.map((channel): Calm => ({ ...undone, pair: { ...held.pair, channel }, isDone: true }));
    const lines = renderAttack(HEAD, {
      attacked: all,
      calm,
      unplayed: Array.from({ length: 9 }, () => unplayed)
        .flat()
        .slice(0, 9),
    });
    expect(lines.length).toBeLessThanOrEqual(50);
    expect(lines.filter(({ text, tone }) => tone !== 'Quiet' && text.length > 100)).toEqual([]);
    const through = all.map((it): Attacked => ({ ...it, hasSucceeded: true }));
    expect(renderAttack(HEAD, { attacked: through, calm, unplayed: [] }).length).toBeLessThanOrEqual(50);
  });

  verifies('worst-case:own', 'say the same to programs', () => {
    expect(attackData(HEAD, { attacked: [visit, held, written], calm: [undone], unplayed })).toMatchObject({
      seed: 7,
      attacks: [
        { goal: 'Visit', channel: 'File', gotThrough: true, passes: [{ rule: 'effect-class/2' }, {}] },
        { goal: 'TamperFile', gotThrough: false, blocks: [{ rule: 'inside/other-file' }], passes: [] },
        { goal: 'TamperFile', gotThrough: true, person: 'AgreesToTheTask' },
      ],
      twins: [{ goal: 'TamperFile', channel: 'File', done: false, outcomes: ['Abandoned'] }],
      notPlayed: unplayed,
    });
  });
});
