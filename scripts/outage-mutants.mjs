/** Mutants of what waits out a provider and counts no time in which nobody drove the work; see `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const parking = ['agent-pod/src/infer/parking-model.test.ts', 'test/unit/random-outages.test.ts'];
const clocks = ['packages/mind/src/run/standing-still.test.ts'];
const history = ['packages/mind/src/cycle/mend-history.test.ts'];

export const outageMutants = [
  ...of('agent-pod/src/infer/park.ts', parking, {
    'outage: what passes is waited out': ['return canPass(kind) && isFinal !== true;', 'return false;'],
    'outage: an answer that took all its time is not asked again': ['&& isFinal !== true', ''],
    'outage: the moment that a server names is kept': ['Math.max(retryAfterMs ?? 0, ', 'Math.max(0, '],
  }),
  ...of('agent-pod/src/infer/parking-model.ts', parking, {
    'outage: one call tries for all': ['this.#change(key, { isTried: true });', ''],
    'outage: a try is made once': ['{ retriesMax: 0 }', '{}'],
    'outage: a try that was cut short is left to the next': [
      'if (tried !== undefined) this.#outages.release(tried);',
      '',
    ],
    'outage: only a try prolongs the wait': ['tried !== key && failure.retryAfterMs === undefined', 'false'],
  }),
  ...of('packages/mind/src/cycle/standing-still.ts', clocks, {
    'outage: a standstill is no work': ['waitedMs: waitedMs + forMs,', 'waitedMs,'],
    'outage: a wait over a standstill counts once': ['waitingSinceMs + forMs', 'waitingSinceMs'],
  }),
  ...of('packages/mind/src/run/evolve.ts', clocks, {
    'outage: a parked run does not work': ['next.waits.size > 0 || next.parked.size > 0', 'next.waits.size > 0'],
    'outage: a question waits as long after a standstill': [
      '{ ...question, expiresAtMs: question.expiresAtMs + forMs }',
      'question',
    ],
  }),
  ...of('packages/mind/src/cycle/mend-history.ts', history, {
    'outage: the same block is not left out twice': ['|| isLeftOut(block)', ''],
    'outage: the work itself is never left out': ['if (index === 0 || ', 'if ('],
    'outage: a call that is left out takes its result with it': [
      "(block.type === 'ToolResult' && block.toolUseId === use)",
      'false',
    ],
    'outage: the stated maximum is met': ['* USED_RATIO);', '* 2);'],
  }),
];
