/** Mutants of the rules by which the newest state of a file decides; see `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const verdict = 'packages/mind/src/run/verdict';
const told = [`${verdict}/told-figures.test.ts`];
const states = ['packages/mind/src/run/final-state.test.ts'];

export const verdictMutants = [
  ...of(`${verdict}/file-history.ts`, states, {
    'verdict: what a call removed is gone': [
      'return gone.map((path) => ({ path, isThere: false, isSure: true }));',
      'return [];',
    ],
    'verdict: words of a script count where nobody looked': [
      'paths.filter((path) => isRemovedIn(script, path))',
      'paths.filter(() => false)',
    ],
  }),
  ...of(`${verdict}/relation-decisions.ts`, states, {
    'verdict: unchanged means the digest that the run found': [
      'newest.isThere === first.isThere && newest.sha256 === first.sha256',
      'newest.isThere === first.isThere',
    ],
    'verdict: what is still there is not removed': [
      'return state.isSure && !mayBeGone(history, state) ?',
      'return state.at > history.calls.length ?',
    ],
    'verdict: a renamed file is gone': [
      "if (left.kind === 'Missing' || to === undefined) return left;",
      'if (to === undefined) return left;',
    ],
    'verdict: a renamed file holds what it held': ['if (state.sha256 === held) return', 'if (state.isThere) return'],
    'verdict: a copy has the digest': ['if (isEqual) return {', 'if (isEqual || one.isThere) return {'],
    'verdict: lines are counted in the content': [
      'if (hasSoMany(text, relation)) return {',
      'if (text.length > 0) return {',
    ],
  }),
  ...of(`${verdict}/held-decisions.ts`, states, {
    'verdict: the newest content decides': [
      "if (isHeld(text, held)) return { kind: 'Shown'",
      "if (showing(newest, looks).length > 0) return { kind: 'Shown'",
    ],
    'verdict: a look before the newest write shows nothing': [
      'positionOf(it, looks) > state.at &&',
      'positionOf(it, looks) >= 0 &&',
    ],
    'verdict: what the run took away is not held': [
      '&& isHeld(before, held) && !isHeld(now, held)',
      '&& !isHeld(before, held) && !isHeld(now, held)',
    ],
  }),
  ...of(`${verdict}/as-it-stood.ts`, states, {
    'verdict: a source counts as it stood': ['return isSo(at) && isSo(at + 1);', 'return at >= 0;'],
  }),
  ...of(`${verdict}/unit-shown.ts`, states, {
    'verdict: another unit shows nothing': ["return [isSame(shown, told) ? 'Fits' : 'Differs'];", "return ['Fits'];"],
    'verdict: the head of a column is a unit': ["return [isOtherHead ? 'Differs' : 'Fits'];", "return ['Fits'];"],
  }),
  ...of(`${verdict}/hangs-on.ts`, told, {
    'verdict: what shall be told hangs on what nothing shows': [
      'const isToTell = !isAnswered && asksToTell(text);',
      'const isToTell = false;',
    ],
    'verdict: an aside beside an answer is none': [
      'const isToTell = !isAnswered && asksToTell(text);',
      'const isToTell = !isAnswered;',
    ],
    'verdict: a time may be the only answer': [
      'if (isDuration === true) return speaksOf(part, question);',
      'if (isDuration === true) return false;',
    ],
  }),
  ...of(`${verdict}/evidence-figures.ts`, told, {
    'verdict: an exit code makes no figure': ["const text = output.replace(EXIT_CODE, '');", 'const text = output;'],
  }),
  ...of(`${verdict}/next-version.ts`, told, {
    'verdict: the next version is spoken of': ['|| !NEXT.test(sentence)) return false;', ') return false;'],
  }),
  ...of(`${verdict}/claim-sources.ts`, told, {
    'verdict: a written text has the digest of a file': [
      "typeof it === 'string' && files.some(({ sha256 }) => sha256 === sha256Hex(it))",
      "typeof it === 'string' && files.some(({ sha256 }) => sha256 !== sha256Hex(it))",
    ],
  }),
  ...of(`${verdict}/table-candidates.ts`, told, {
    'verdict: a total is no operand': [
      'total === undefined || figures.at(-1)?.value !== total ? figures',
      'total === undefined || figures.length > 0 ? figures',
    ],
  }),
];
