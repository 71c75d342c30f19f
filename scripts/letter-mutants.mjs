/** Of the list of mutants: lines on which it stands that nobody is taken for the author of a letter, and no words for theirs. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const letter = 'agent-pod/src/mail/letter';
const crafted = ['test/unit/crafted-letters.test.ts'];

export const letterMutants = [
  ...of(`${letter}/trusted-results.ts`, crafted, {
    'letters: only the topmost results authenticate': [
      'return verdictOf(top, about.fromDomain, lookUps);',
      'for (const it of [...below].reverse()) if (it !== undefined) return verdictOf(it, about.fromDomain, lookUps);\n  return verdictOf(top, about.fromDomain, lookUps);',
    ],
    'letters: results below fields of the letter count for nothing': [
      'if (above.some(({ name }) => OF_THE_LETTER.has(name)))',
      'if (false)',
    ],
    'letters: results below a hop of somebody else count for nothing': [
      "if (name === 'received' && !(await isHopOf(service, value)))",
      'if (false && !(await isHopOf(service, value)))',
    ],
    'letters: results of another service count for nothing': ['if (top.serviceId !== service)', 'if (false)'],
    'letters: a DMARC that failed is not mended by a pass beside it': [
      "if (hasFailed(top, 'dmarc')) return",
      'if (false) return',
    ],
    'letters: DMARC must have passed for the author': ['if (!isSame) return', 'if (false) return'],
  }),
  ...of(`${letter}/dkim.ts`, crafted, {
    'letters: a signature of another domain proves nothing': [
      'if (!(await areAligned({ from: letter.fromDomain, by: domain }, false))) {',
      'if (false) {',
    ],
    'letters: From must be signed': ["|| !names.includes('from')", ''],
    'letters: a signature that expired proves nothing': [
      "return isOver(tags.get('x'), atMs) ? 'that had expired when the letter came' : undefined;",
      'return undefined;',
    ],
    'letters: a key on trial proves nothing': ["!flags.includes('y') && ", ''],
    'letters: the author’s domain may want its own signature': [
      'if (!(await areAligned({ from: letter.fromDomain, by: domain }, modes.isDkimStrict))) continue;',
      '',
    ],
  }),
  ...of(`${letter}/authenticate.ts`, crafted, {
    'letters: a field that stands twice proves nothing': [
      'const [repeated] = repeatedNames(header.fields);',
      'const [repeated] = [] as string[];',
    ],
    'letters: an odd header proves nothing': ['if (header.isOdd)', 'if (false)'],
    'letters: what decides must be signed': ['!verdict.signedNames.has(name)', 'false'],
    'letters: a To that is not signed names nobody': [
      'signedNames === undefined || signedNames.has(name)',
      'signedNames === undefined || true',
    ],
  }),
  ...of(`${letter}/sender-address.ts`, crafted, {
    'letters: two From fields are no author': ['if (values.length > 1)', 'if (false)'],
    'letters: a display name is no address': ["if (angle !== undefined && bare.includes('@'))", 'if (false)'],
  }),
  ...of('packages/mind/src/gate/provenance/mail-address.ts', crafted, {
    'letters: letters beyond ASCII stay what they are': [
      'return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());',
      'return text.toLowerCase();',
    ],
  }),
  ...of(`${letter}/own-words.ts`, crafted, {
    'letters: what may be the rest of a quote is nobody’s': ['sorting.isUnclear ||= isRestOfQuote(lines, index);', ''],
    'letters: below an attribution without marks all is quoted': [
      'if (!isQuoteNext(lines, index + attribution)) sorting.below = sorting.quote;',
      '',
    ],
  }),
  ...of(`${letter}/both-say.ts`, crafted, {
    'letters: only what both versions say is said': ['words: common.both,', 'words: plain,'],
  }),
  ...of(`${letter}/read-letter.ts`, crafted, {
    'letters: a letter that is not read to its end has no words': [
      "if (faults.length === 0 || texts.words === '')",
      'if (true)',
    ],
  }),
];
