/** The symbolic links on the way to a place of the workspace. */
import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { nameOnDisk } from './name-on-disk.ts';

export interface Way {
  /** In the order in which they are followed, each once. */
  readonly links: readonly FoundLink[];
  /** Where it ends, without any link, relative to the workspace; `.` is the workspace. */
  readonly place: string;
}

export interface FoundLink {
  /** Relative to the workspace, without a link above it. */
  readonly path: string;
  readonly text: Buffer;
}

/** As many as Linux follows. Source: Linux, MAXSYMLINKS. */
const LINKS_MAX = 40;

/**
 * @param root      real path of the workspace
 * @param relative  as it stands on the disk
 * @returns undefined where it ends nowhere, or leaves the workspace on its way
 */
export async function wayTo(root: string, relative: string): Promise<Way | undefined> {
  const links: FoundLink[] = [];
  const at: string[] = [];
  const ahead = [...partsOf(relative)];
  for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
    if (part === '..' && at.pop() === undefined) return undefined;
    if (part === '..') continue;
    at.push(part);
    const text = await textOfLink(path.join(root, ...at));
    if (text === undefined) return undefined;
    if (text === 'NoLink') continue;
    if (links.length === LINKS_MAX) return undefined;
    links.push({ path: at.join('/'), text });
    at.pop();
    const target = insideOf(root, text.toString());
    if (target === undefined) return undefined;
    if (target.isFromRoot) at.length = 0;
    ahead.unshift(...partsOf(target.path));
  }
  const each = links.filter((it, index) => links.findIndex((other) => other.path === it.path) === index);
  return { links: each, place: at.join('/') || '.' };
}

function partsOf(text: string): readonly string[] {
  return text.split('/').filter((part) => part !== '' && part !== '.');
}

/** Undefined: an absolute one that does not begin with the workspace. */
function insideOf(root: string, text: string): { readonly path: string; readonly isFromRoot: boolean } | undefined {
  if (!text.startsWith('/')) return { path: text, isFromRoot: false };
  return text.startsWith(`${root}/`) ? { path: text.slice(root.length), isFromRoot: true } : undefined;
}

/** The text of the link that a path means, if it is one itself. Undefined: nothing, no link, or something behind another link. */
export async function namedLink(workspaceDirectory: string, relative: string): Promise<Buffer | undefined> {
  const root = await realpath(workspaceDirectory).catch(() => workspaceDirectory);
  const name = await nameOnDisk(root, relative);
  if (!name.ok) return undefined;
  const place = path.join(root, name.value);
  if ((await realpath(path.dirname(place)).catch(() => undefined)) !== path.dirname(place)) return undefined;
  const text = await textOfLink(place);
  return text === 'NoLink' ? undefined : text;
}

/** Undefined where nothing stands. */
async function textOfLink(place: string): Promise<Buffer | 'NoLink' | undefined> {
  const stat = await lstat(place).catch(() => undefined);
  if (stat?.isSymbolicLink() !== true) return stat === undefined ? undefined : 'NoLink';
  return readlink(place, { encoding: 'buffer' }).catch(() => undefined);
}
