/**
 * What of the files that programs of a run left behind is cleared at its end: what lies in a directory for scratch, and that neither
 * people nor the run's result name.
 *
 * I1  Only bytes of the run's own programs are cleared: those that the record has of them, and what nobody recorded in a directory
 *     that they made.
 */
import { scratchPlace } from '@retainer/contract/wire/scratch-places';
import { isFree } from '../../gate/provenance/free-files.ts';
import { namedFiles } from '../../gate/provenance/named-by-people.ts';
import type { Files } from './files.ts';
import type { Additions } from './run-additions.ts';

export interface EndedRun {
  readonly runId: string;
  /** The people's words: the Task's, and answers. */
  readonly asked: string;
  /** What people are told of its end. */
  readonly told: string;
}

/** May be cleared. `digest`: only if the file has exactly these bytes. */
export interface Clearable {
  readonly digest?: string;
}

export interface Scratch {
  /** Relative to the workspace, none below another. */
  readonly directories: readonly string[];
  /** Undefined: it stays. @param path  of a file or a link, relative to the workspace */
  clearable(path: string): Clearable | undefined;
}

/** Undefined if the run left nothing in such a directory. */
export function scratchOf(known: Files, additions: Additions, run: EndedRun): Scratch | undefined {
  const { runId } = run;
  const made = additions.get(runId)?.scratch ?? new Set();
  const directories = new Set(made);
  for (const { path, why, runId: by } of known.values()) {
    const place = why === 'Program' && by === runId ? scratchPlace(path) : undefined;
    if (place !== undefined) directories.add(place);
  }
  if (directories.size === 0) return undefined;
  const isNamed = namedBy(run);
  return {
    directories: [...directories],
    clearable: (path) => {
      const place = scratchPlace(path);
      if (place === undefined || isNamed(path)) return undefined;
      const row = known.get(path);
      if (row === undefined) return made.has(place) ? {} : undefined;
      return row.runId === runId && row.why === 'Program' ? { digest: row.digest } : undefined;
    },
  };
}

/** The name of a file, or of a directory above it, in the people's words; in the run's own, its last part is enough. */
function namedBy({ asked, told }: EndedRun): (path: string) => boolean {
  const named = namedFiles(asked);
  const { paths: toldNames } = namedFiles(told);
  return (path) => {
    const parts = path.split('/');
    const above = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    const isTold = told.includes(path) || toldNames.has(parts.at(-1) ?? path);
    return isTold || isFree(path, named) || above.some((it) => named.paths.has(it));
  };
}
