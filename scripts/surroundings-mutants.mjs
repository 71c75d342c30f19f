/** Mutants of what surrounds the work: terminals, disks, files, manifests. See `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const manifest = 'contract/src/manifest';
const tools = 'agent-pod/src/tools';

export const surroundingsMutants = [
  ...of('cli/src/standard-stream.ts', ['cli/src/end-output.test.ts'], {
    'output: a reader that goes away is counted': ["if (code === 'EPIPE') this.#isGone = true;", 'return;'],
    'output: lines of a file that is full are counted': ['return this.#lose(text, code);', 'return;'],
  }),
  ...of('cli/src/end-output.ts', ['cli/src/end-output.test.ts'], {
    'output: the code of work is that of the work': ['!isActing && loss !== undefined', 'loss !== undefined'],
    'output: lost prints are not done': ['? exitCodes.outputLost : code', '? code : code'],
    'output: data are not mixed with a notice': ['isActing && isForPeople', 'isActing'],
  }),
  ...of('cli/src/terminal-person.ts', ['cli/src/terminal-person.test.ts'], {
    'terminal: not read in the background': ['await foreground.untilOurs(signal)', 'await Promise.resolve()'],
    'terminal: given up after Ctrl-Z and bg': ['if (!foreground.isOurs()) away.abort();', ''],
  }),
  ...of('cli/src/manifest-files.ts', ['cli/src/load-manifests.test.ts'], {
    'manifests: a lock of an editor is no file': ['lockName.test(', '!lockName.test('],
    'manifests: only files are read in a directory': ['found.ok && found.value.isFile()', 'found.ok'],
    'manifests: bytes are not made to text': ['{ fatal: true }', '{}'],
  }),
  ...of(`${manifest}/plain-scalar.ts`, [`${manifest}/yaml-source.test.ts`], {
    'manifests: a large whole number is a text or a fraction': ['>= 1n << WHOLE_BITS', '< 0n'],
  }),
  ...of(`${manifest}/yaml-value.ts`, [`${manifest}/yaml-source.test.ts`], {
    'manifests: an anchor in itself ends': ['if (this.#open.has(node))', 'if (false)'],
    'manifests: aliases are bounded': ['if (this.#aliases > 0) this.#aliasedParts += 1;', ''],
    'manifests: of merged maps the first counts': ['node.items.toReversed()', 'node.items'],
  }),
  ...of(`${manifest}/parse-manifests.ts`, [`${manifest}/parse-manifests.test.ts`], {
    'manifests: our own group is never left to others': ['if (group === GROUP) return false;', ''],
    'manifests: what is said later changes no name': ['!saidLater.has(field)', 'true'],
  }),
  ...of(`${tools}/search-workspace.ts`, [`${tools}/unlooked.test.ts`, `${tools}/file-labels.test.ts`], {
    'files: what is no text was not searched': ["return 'it is not text';", 'return undefined;'],
    'files: a long line was not searched whole': ['this.#cutLine ??= this.#number;', ''],
    'files: names of strangers taint no trusted line': [
      'lines.length === 0 || label.trust === search.label.trust',
      'true',
    ],
  }),
  ...of(`${tools}/workspace-walk.ts`, [`${tools}/unlooked.test.ts`], {
    'files: a locked directory is not empty': ['if (listed.fault !== undefined)', 'if (false)'],
  }),
  ...of(`${tools}/name-on-disk.ts`, [`${tools}/unlooked.test.ts`], {
    'files: a name from a Mac is found': ["other.normalize('NFC') === name.normalize('NFC')", 'other === name'],
    'files: of two spellings none is taken': ['if (same.length <= 1)', 'if (true)'],
  }),
];
