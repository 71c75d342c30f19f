/** Of the list of mutants: symbolic links and their labels, and what programs of a run leave behind. See `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const tools = 'agent-pod/src/tools';
const sandbox = 'agent-pod/src/sandbox';
const labelTests = [`${tools}/link-labels.test.ts`];
const backTests = [`${sandbox}/cluster/sandbox-run-take-back.test.ts`];

export const linkMutants = [
  ...of('packages/mind/src/parts/files/files.ts', ['packages/mind/src/parts/files/files.test.ts'], {
    'links: a file with the text of a link is not that link': [' && (row.isLink === true) === isLink;', ';'],
  }),
  ...of('packages/mind/src/cycle/read-texts.ts', ['test/unit/link-own.test.ts'], {
    'links: those of a run are its own': [
      'return [...files.map(({ path }) => path), ...links];',
      'return files.map(({ path }) => path).concat(links.slice(links.length));',
    ],
  }),
  ...of('packages/mind/src/run/handed-on.ts', ['test/unit/link-own.test.ts'], {
    'links: those of a run are its own in later cycles': [
      '[...files.map(({ path }) => path), ...links]',
      '[...files.map(({ path }) => path), ...links.slice(links.length)]',
    ],
  }),
  ...of(`${tools}/workspace-labels.ts`, labelTests, {
    'links: a file behind links has their label': [
      'return links === undefined ? own : join(links, own);',
      'return own;',
    ],
    'links: what is behind links has a label of its own': [
      'return links === undefined ? own : join(links, own);',
      'return links ?? own;',
    ],
    'links: they lead to what was read': [
      'if (way?.place !== place) return unknownFiles;',
      'if (way === undefined) return unknownFiles;',
    ],
    'links: each on the way counts': ['(label === undefined ? link : join(label, link))', '(label ?? link)'],
    'links: of an entry the text counts': [
      "if (kind === 'Link') return this.#ofLinkAt(entry);",
      "if (kind === 'Link') return ownWords;",
    ],
    'links: a link of a file’s record is none': ['digest: sha256Hex(text), isLink: true', 'digest: sha256Hex(text)'],
  }),
  ...of(`${tools}/links-on-way.ts`, [`${tools}/links-on-way.test.ts`], {
    'links: a way leaves the workspace only once': [
      "if (part === '..' && at.pop() === undefined) return undefined;",
      "if (part === '..') at.pop();",
    ],
    'links: a loop ends': [
      'if (links.length === LINKS_MAX) return undefined;',
      'if (links.length === LINKS_MAX + 1) return undefined;',
    ],
    'links: an absolute one begins at the workspace': ['if (target.isFromRoot) at.length = 0;', ''],
    'links: beside the workspace is outside': ['text.startsWith(`${root}/`)', 'text.startsWith(root)'],
  }),
  ...of(`${tools}/program-view.ts`, labelTests, {
    'links: programs see those of clean runs': [
      "if (entry.kind !== 'File' && entry.kind !== 'Link') continue;",
      "if (entry.kind !== 'File') continue;",
    ],
    'links: programs change those alone that are free': [
      'if (isInput || !mayChange(entry.path, freeFiles)) kept.push(entry.path);',
      "if (entry.kind === 'File' && (isInput || !mayChange(entry.path, freeFiles))) kept.push(entry.path);",
    ],
  }),
  ...of('agent-pod/src/parts/files/list-files.ts', labelTests, {
    'links: a list has their label': [
      'join(context.labels.ofNames(names, context.principal), way)',
      'context.labels.ofNames(names, context.principal)',
    ],
    'links: an empty list has their label': ['is empty.`, label: way }', 'is empty.`, label: ownWords }'],
  }),
  ...of('agent-pod/src/parts/files/find-files.ts', labelTests, {
    'links: found names have their label': [
      'join(labels.ofNames(named, principal), way)',
      'labels.ofNames(named, principal)',
    ],
  }),
  ...of(`${tools}/search-workspace.ts`, labelTests, {
    'links: found lines have their label': ['search.label = (await labels.ofWay(directory.value)) ?? ownWords;', ''],
  }),
  ...of('agent-pod/src/loop/file-records.ts', labelTests, {
    'links: what took a place is not forgotten': [' && !standing.has(path)', ''],
  }),
  ...of(`${sandbox}/local/take-changes.ts`, [`${sandbox}/local/view.test.ts`], {
    'links: a program’s are told': ["this.#list('links', {", "this.#list('files', {"],
    'left behind: directories count': [
      "if (kind === 'Directory') return takeRoomForDirectory(room, workspace, path);",
      "if (kind === 'Directory') return true;",
    ],
  }),
  ...of(`${sandbox}/run-room.ts`, backTests, {
    'left behind: directories above a file count': [
      'const files = taken.files + made.length;',
      'const files = taken.files;',
    ],
    'left behind: each directory counts once': ['!room.added.directories.has(directory) && ', ''],
  }),
  ...of(`${sandbox}/cluster/sandbox-run-take-back.ts`, backTests, {
    'left behind: what is added is kept before the first change': ['await plan.onDecided?.({ added, leftOut });', ''],
    'left behind: a second attempt knows what the first added': [
      'plan.decided?.added ?? addedTo(plan.room).added',
      'addedTo(plan.room).added',
    ],
    'left behind: a second attempt leaves out the same': [
      'leftOut: plan.decided && new Set(plan.decided.leftOut),',
      'leftOut: undefined,',
    ],
    'links: an unfit text does not come back': [
      "if (type === 'Link' && !(isUtf8(text)",
      "if (type === 'Link' && text.length === 0 && !(isUtf8(text)",
    ],
    'links: a file takes the place of a seen one alone': [
      '...(sent.has(path) ? { overLink: true } : {})',
      'overLink: true',
    ],
    'links: of others are not replaced': [
      "if (type === 'Removed' || type !== kind) return true;",
      "if (type === 'Removed') return true;",
    ],
  }),
  ...of(`${sandbox}/clear-scratch.ts`, [`${sandbox}/clear-scratch.test.ts`], {
    'links: in scratch goes what the record has': [
      'if (digest !== undefined && (await digestOf(join(root, path), kind)) !== digest) return false;',
      "if (digest !== undefined && kind === 'File' && (await digestOf(join(root, path), kind)) !== digest) return false;",
    ],
    'left behind: empty directories of scratch go': [
      "if (entry.kind === 'Directory' && isOwn(entry.path, scratch)) emptied.add(entry.path);",
      '',
    ],
  }),
  ...of('contract/src/wire/frames.ts', ['contract/src/wire/frames.test.ts'], {
    'links: a carried text is printable': ["return text !== '' && !UNSPEAKABLE.test(text) &&", "return text !== '' &&"],
  }),
];
