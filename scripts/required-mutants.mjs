/** Mutants of what a success says that lacks a required criterion; see `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const required = ['test/unit/required-criteria.test.ts'];

export const requiredMutants = [
  ...of('contract/src/api/task-status.ts', required, {
    'verdict: what is required and unmet is named': ["required && verdict !== 'Met' ? [index] : []", '[]'],
    'verdict: who depends on a Task waits for Accepted': [
      "return wanted === 'Succeeded' ? isReached(outcome) : outcome === 'Accepted';",
      'return isReached(outcome);',
    ],
  }),
  ...of('packages/mind/src/run/steer/distance.ts', required, {
    'verdict: a verifiable criterion of the only step bars a success': [
      'const whole = withVerdictsOfOnlyStep(criteria, result);',
      'const whole = result;',
    ],
  }),
];
