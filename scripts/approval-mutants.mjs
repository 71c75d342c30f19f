/** Of the list of mutants: what an approval covers, and what requests tell a site. */
import { mutantsOfFile } from './mutants-of-file.mjs';

const gate = 'packages/mind/src/gate';
const tools = 'agent-pod/src/tools';
const named = [`${tools}/named-files.test.ts`];
const choices = [`${gate}/provenance/choice-budget.test.ts`, `${gate}/provenance/choice-code.test.ts`];

const namedFiles = [
  ...mutantsOfFile(`${tools}/standing-at.ts`, named, {
    'approvals: files that a call names are covered': [
      'facts.effectClass >= CHANGING_EFFECT_CLASS',
      'facts.effectClass < 0',
    ],
    'approvals: what changes nothing is bound to nothing': [
      'facts.effectClass >= CHANGING_EFFECT_CLASS',
      'facts.effectClass >= 0',
    ],
    'approvals: the digest covers more than is shown': [
      'canonicalJson({ own: own ?? null, files })',
      'canonicalJson({ own: own ?? null, files: files.slice(0, NAMED_SHOWN_MAX) })',
    ],
  }),
  ...mutantsOfFile(`${tools}/named-files.ts`, named, {
    'approvals: a file covers what it names': [
      'runsCode ? await withNamesInside(direct, search, content) : direct',
      'direct',
    ],
    'approvals: a text that is written names nothing': ['name !== verb?.text && ', ''],
    'approvals: a directory covers what is in it': [
      'rows.push([name, await this.digestOf(name)])',
      "rows.push([name, ''])",
    ],
    'approvals: other tools name files, too': ['worth.push(text);', ''],
    'approvals: too many texts name the whole workspace': ['searched > SEARCHED_FILES_MAX', 'searched < 0'],
    'approvals: the bytes that are hashed are bounded': [
      'this.#hashedBytes + entry.sizeBytes > HASHED_BYTES_MAX',
      'false',
    ],
  }),
  ...mutantsOfFile(`${tools}/name-search.ts`, named, {
    'approvals: names are looked for where the script goes': [
      "if (entry.kind === 'Directory') addBase(at, searching);",
      '',
    ],
    'approvals: the directory of a missing file is a place to look': ['this.#addParent(word, searching)', 'void word'],
    'approvals: links of named files are followed': ["if (entry.kind !== 'Link') continue;", 'continue;'],
    'approvals: patterns go through links': ['if (links < LINKS_MAX)', 'if (links < 0)'],
    'approvals: too many patterns name the whole workspace': ['!isCut && this.#comparisonsLeft > 0', '!isCut'],
    'approvals: make and npm read files by themselves': ['...(READ_UNASKED.get(word) ?? [])', ''],
  }),
  ...mutantsOfFile(`${gate}/path-words.ts`, [...named, `${gate}/path-words.test.ts`], {
    'approvals: the dot runs a file': ['.replaceAll(DOT_COMMAND,', ".replaceAll('\\0',"],
    'approvals: variables of a script are read': ['const filled = withVariables(plain);', 'const filled = plain;'],
    'approvals: what is known at run time may be anything': [
      'withWildcards(it), it.replaceAll(FORMAT',
      'it.replaceAll(FORMAT',
    ],
    'approvals: a name may be quoted in part': ["text.replaceAll(/[\"']/g, '')", 'text'],
    'approvals: values of variables are bounded': ['if (value.length > left) return whole;', ''],
    'approvals: a default is a value': ['.replaceAll(DEFAULT,', ".replaceAll('\\0',"],
    'approvals: a format has places': ["it.replaceAll(FORMAT_PLACE, '*')", 'it'],
    'approvals: a character may be a number': ['withCharacters(joined);', 'joined;'],
    'approvals: a path may begin outside': ['at <= PARTS_MAX; at', 'at <= 0; at'],
    'approvals: a long spelling names the same': ['...endsOf(word), ', ''],
    'approvals: an option holds its path': [
      "if (part !== '') yield part.replace",
      "if (part === '') yield part.replace",
    ],
  }),
  ...mutantsOfFile('packages/mind/src/cycle/evolve-approval.ts', ['test/unit/approved-write.test.ts'], {
    'approvals: what stands there now is looked at again': ['...standingFields(now), ', ''],
    'approvals: a named file is not replaced': ['isReplacing(now)', 'now.standing !== undefined'],
  }),
];

const spending = [
  ...mutantsOfFile(`${gate}/provenance/choice-budget.ts`, choices, {
    'choices: a repeat costs': [
      'const before = asked.filter(',
      'if (asked.some((it) => it.address === address)) return undefined;\n  const before = asked.filter(',
    ],
    'choices: to ask nothing more is a choice': ['const OTHER_CHOICES = 2;', 'const OTHER_CHOICES = 0;'],
    'choices: where a run stops in the Task’s order is one': ['const STOPS_BITS = 2;', 'const STOPS_BITS = -9;'],
    'choices: the Task’s order is one': [
      'if (!isInOrder || named[before.length] !== address)',
      'if (!named.includes(address))',
    ],
    'choices: how far the pages’ order is followed costs': ['? DOUBLED_BITS : 0', '? 0 : 0'],
  }),
  ...mutantsOfFile(`${gate}/provenance/outward-address.ts`, choices, {
    'choices: the head of a result offers nothing': ["text.replace(HEAD, '')", 'text'],
  }),
  ...mutantsOfFile('packages/mind/src/cycle/read-texts.ts', ['packages/mind/src/cycle/choices.test.ts'], {
    'choices: a call that is under way frees no other one': [
      'running: decided === undefined ? [] : [decided],',
      'running: outside.map(({ argumentsDigest }) => argumentsDigest),',
    ],
    'choices: earlier cycles of the run count': ['...(spec.askedOutside ?? []).map((address) => ({ address })), ', ''],
  }),
];

export const approvalMutants = [...namedFiles, ...spending];
