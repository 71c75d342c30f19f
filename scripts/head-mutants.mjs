/** Mutants of the comparison with heads that were seen before; see `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const journal = 'packages/journal/src';
const audit = 'agent-pod/src/audit';

export const headMutants = [
  ...of(`${journal}/compare-heads.ts`, [`${journal}/compare-heads.test.ts`], {
    'journal: a head is compared by its hash': [
      'return head.seq === seq && ends.hash === hash;',
      'return head.seq === seq;',
    ],
  }),
  ...of(`${journal}/testimony.ts`, [`${journal}/compare-heads.test.ts`], {
    'journal: a later note takes back no earlier one': [
      'const key = `${head.store}/${head.seq}/${head.hash}`;',
      'const key = `${head.store}/${head.seq}`;',
    ],
    'journal: the newest head of each store is compared': [
      '[...new Set([...newest.values(), ...heads.slice(-max)])]',
      'heads.slice(-max)',
    ],
  }),
  ...of(`${journal}/untrusted.ts`, [`${journal}/compare-heads.test.ts`], {
    'journal: a repair gives up no record that a head proves': ['Math.max(-1, ...fits) + 1', '0'],
  }),
  ...of(`${audit}/store-watch.ts`, [`${audit}/store-watch.test.ts`], {
    'audit: a head that was missing is compared for ever': [' || pinned.has(seq))', ')'],
  }),
];
