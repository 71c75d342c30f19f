/**
 * What a program sees of the workspace: files that are trusted, that the Task names, or that its run wrote; and those that the call
 * names as its inputs. What it sees is what its words and files may come from, so their labels join into both.
 *
 * A symbolic link is here what a file is; its text is its content, wherever it leads.
 *
 * I1  A file that nobody trusts and nobody names is not there for a program: neither its content nor its name.
 * I2  A program changes only files that are free (`Gate.freeFiles`). An input is none.
 * I3  In a run for somebody else than the owner, a program sees what this one may read, and of the owner's what the call names as its
 *     inputs.
 *
 * Source: reliability-security 4 (labels on every value), 7.
 */
import { compileGlob } from '@retainer/mind/gate/glob';
import { join, mayRead, OWNER, type Label } from '@retainer/mind/gate/provenance/label';
import { isFree, type FreeFiles } from '@retainer/mind/gate/provenance/free-files';
import { parseWorkspacePath, WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import { mayShow } from './readable.ts';
import type { ToolContext } from './tool.ts';
import { walkWorkspace, type Walk, type WalkEntry } from './workspace-walk.ts';

/** Entries examined; a walk over them takes a fraction of a second. What is beyond is hidden. */
const SEEN_ENTRIES_MAX = 10_000;
/** Inputs of one call, and the characters of one. */
export const INPUTS_MAX = 20;
export const INPUT_CHARACTERS_MAX = 512;

export interface ProgramView {
  readonly shownPaths: readonly string[];
  /** Shown, and not to be changed. */
  readonly keptPaths: readonly string[];
  /** Of everything that the program makes of it. */
  readonly label: Label;
  /** For the model. */
  readonly notes: readonly string[];
}

type ViewContext = Pick<
  ToolContext,
  'principal' | 'workspaceDirectory' | 'labels' | 'carried' | 'freeFiles' | 'seenFiles'
>;

/** @param inputs  paths, directories and globs that the call names */
export async function programView(context: ViewContext, inputs: readonly string[] = []): Promise<ProgramView> {
  const { principal, workspaceDirectory, labels, carried, freeFiles, seenFiles } = context;
  const walk = await walkWorkspace(workspaceDirectory, WORKSPACE_ROOT, { entries: SEEN_ENTRIES_MAX });
  const wanted = inputs.map(compileInput);
  const used = new Set<Wanted>();
  const wantedBy = (entry: WalkEntry): readonly Wanted[] => {
    const matching = wanted.filter((it) => it.matches(entry.path));
    for (const it of matching) used.add(it);
    return matching;
  };
  const [shown, kept]: [string[], string[]] = [[], []];
  let [label, hidden] = [carried, 0];
  for (const entry of walk.entries) {
    if (entry.kind !== 'File' && entry.kind !== 'Link') continue;
    const found = labels.ofEntry(entry);
    const own = found instanceof Promise ? await found : found;
    const matching = wantedBy(entry);
    const isNamed = isAtOrBelow(entry.path, seenFiles);
    if (isHidden(context, own, { isNamed, isWanted: matching.length > 0 })) {
      hidden += 1;
      continue;
    }
    shown.push(entry.path);
    label = join(label, own);
    const isInput = own.trust !== 'Trusted' && !isNamed;
    if (isInput || !mayChange(entry.path, freeFiles)) kept.push(entry.path);
  }
  const named = namedDirectories(context, walk.entries);
  if (named.strange.length > 0) label = join(label, labels.ofNames(named.strange, principal));
  const unmatched = wanted.filter((it) => !used.has(it));
  return {
    shownPaths: [...shown, ...named.paths],
    keptPaths: kept,
    label,
    notes: [
      ...hiddenNotes(hidden, walk),
      ...unmatched.map(({ text }) => `no file matches the input ${JSON.stringify(text)}`),
    ],
  };
}

/** I1, I3. @param isWanted  the call names it as its input */
function isHidden(
  context: ViewContext,
  label: Label,
  { isNamed, isWanted }: { readonly isNamed: boolean; readonly isWanted: boolean },
): boolean {
  if (label.trust !== 'Trusted' && !isNamed && !isWanted) return true;
  if (context.principal === OWNER) return false;
  return isWanted ? !mayShow(context, label) : !mayRead(label.readers, context.principal);
}

function mayChange(file: string, freeFiles: FreeFiles | undefined): boolean {
  return freeFiles === undefined || isFree(file.normalize('NFC'), freeFiles);
}

interface Wanted {
  readonly text: string;
  matches(file: string): boolean;
}

/** A path means the file, or everything in the directory. */
function compileInput(text: string): Wanted {
  const parsed = parseWorkspacePath(text);
  const isGlob = /[*?]/.test(text);
  const glob = isGlob ? compileGlob(text) : undefined;
  if (glob?.ok === true) return { text, matches: (file) => glob.value.matches(file.normalize('NFC')) };
  const start = parsed.ok ? parsed.value : undefined;
  return { text, matches: (file) => start !== undefined && isAtOrAbove(start, file.normalize('NFC')) };
}

/** The bare name of a directory names what is in it for seeing, and nothing for changing. */
function isAtOrBelow(onDisk: string, named: FreeFiles): boolean {
  const file = onDisk.normalize('NFC');
  return isFree(file, named) || parentsOf(file).some((parent) => named.paths.has(parent));
}

function isAtOrAbove(start: string, file: string): boolean {
  return start === WORKSPACE_ROOT || start === file || file.startsWith(`${start}/`);
}

interface NamedDirectories {
  readonly paths: readonly string[];
  /** Those that may be somebody's words: the Task does not name them themselves. */
  readonly strange: readonly string[];
}

/** They are there for a program also where nothing in them is. */
function namedDirectories({ seenFiles }: ViewContext, entries: readonly WalkEntry[]): NamedDirectories {
  const paths = entries
    .filter((entry) => entry.kind === 'Directory' && isAtOrBelow(entry.path, seenFiles))
    .map((entry) => entry.path);
  return { paths, strange: paths.filter((directory) => !seenFiles.paths.has(directory.normalize('NFC'))) };
}

function hiddenNotes(hidden: number, { isCut, unlooked }: Walk): readonly string[] {
  const which = 'that are neither trusted, nor named by the Task, nor written in this run';
  const notes = isCut
    ? [`only ${SEEN_ENTRIES_MAX} entries of the workspace were looked at; the rest is hidden here`]
    : [];
  // Without their names, which may be a stranger's.
  if (unlooked.length > 0) notes.push(`${unlooked.length} directories could not be looked into, and are hidden here`);
  if (hidden === 0) return notes;
  return [...notes, `${hidden} files ${which} are hidden here; name those that the program needs in "inputs"`];
}

function parentsOf(file: string): readonly string[] {
  const parts = file.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
