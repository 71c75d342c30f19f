/**
 * The label of each file and each symbolic link of the workspace: a projection of the store `file`.
 *
 * I1  Trust belongs to bytes at a path, not to a path: a file whose digest is not the recorded one is a stranger's. So is a link with
 *     another text, and a link where a file is recorded, or a file where a link is.
 * I2  A file is trusted only by a record of one that was written in trust: a seed of the operator's manifests, a cycle that had
 *     read nothing untrusted, or a person's word about exactly these bytes.
 *
 * Source: reliability-security 4 (labels on every value).
 */
import { z } from 'zod';
import { join, narrowed, OWNER, PEOPLE, Readers, readersOf, type Label } from '../../gate/provenance/label.ts';
import { defineProjection } from '../../part/projection.ts';

/** `Program`: code in the sandbox changed or made it. `Stranger`: somebody else did; nobody believes it. */
export const FILE_ORIGINS = ['Seed', 'Write', 'Program', 'Stranger'] as const;

/** Of the bytes, or of the text of a link, in hexadecimal digits. */
const digest = z.string().regex(/^[0-9a-f]{64}$/);
/** As `parseWorkspacePath` returns it. */
const path = z.string();

/** It is a symbolic link, and the digest is that of its text. Absent: a file. */
const isLink = z.literal(true).exactOptional();

/** Run and cycle that wrote a file are in the head of its record. */
export const fileKinds = {
  FileRecorded: z.object({
    path,
    digest,
    isLink,
    sizeBytes: z.number(),
    trusted: z.boolean(),
    /** Absent: the owner; of a seed, all its people. */
    readers: Readers.exactOptional(),
    why: z.enum(FILE_ORIGINS),
    /** The call that wrote it. */
    callId: z.string().exactOptional(),
  }),
  /** It is gone. */
  FileForgotten: z.object({ path, callId: z.string().exactOptional() }),
  /** A person's word about these bytes. */
  FileTrusted: z.object({
    path,
    digest,
    isLink,
    sizeBytes: z.number(),
    trusted: z.boolean(),
    by: z.string(),
    reason: z.string().exactOptional(),
  }),
  /** What one program added to the workspace, also beyond the files that are recorded one by one. Its run is in the head. */
  ProgramAdded: z.object({
    callId: z.string(),
    files: z.int().min(0),
    bytes: z.int().min(0),
    /** Directories for scratch that it made. Absent: none. */
    scratch: z.array(path).exactOptional(),
  }),
  /** At the end of a run: what its programs had left in directories for scratch is gone. The run is in the head. */
  ScratchCleared: z.object({ directories: z.array(path), files: z.int().min(0), bytes: z.int().min(0) }),
} as const;
export type FileRecorded = Readonly<z.infer<(typeof fileKinds)['FileRecorded']>>;

const FileRow = z.object({
  path,
  digest,
  isLink,
  sizeBytes: z.number(),
  trusted: z.boolean(),
  readers: Readers,
  why: z.enum([...FILE_ORIGINS, 'Person']),
  /** Who wrote it; absent where no run did. */
  runId: z.string().exactOptional(),
  cycleId: z.string().exactOptional(),
  callId: z.string().exactOptional(),
  /** Milliseconds since 1970. */
  atMs: z.number(),
});
export type FileRow = Readonly<z.infer<typeof FileRow>>;

/** The newest record of each file, by path. */
export type Files = ReadonlyMap<string, FileRow>;

export const files = defineProjection({
  store: 'file',
  kinds: fileKinds,
  start: () => new Map<string, FileRow>(),
  folds: {
    FileRecorded: (state, { readers: given, ...file }, { timeMs, runId, cycleId }) => {
      const readers = given ?? (file.why === 'Seed' ? [PEOPLE] : [OWNER]);
      const by = { ...(runId === undefined ? {} : { runId }), ...(cycleId === undefined ? {} : { cycleId }) };
      state.set(file.path, { ...file, readers, ...by, atMs: timeMs });
    },
    FileForgotten: (state, file) => {
      state.delete(file.path);
    },
    FileTrusted: (state, { by: _by, reason: _reason, ...file }, { timeMs }) => {
      const { readers = [OWNER] } = state.get(file.path) ?? {};
      state.set(file.path, { ...file, readers, why: 'Person', atMs: timeMs });
    },
    ProgramAdded: { because: 'run-additions.ts folds it' },
    ScratchCleared: { because: 'each file that had a record is forgotten by one of its own' },
  },
  window: 'WholeStore',
  cached: {
    version: 3,
    schema: z.array(FileRow),
    keep: (state) => [...state.values()],
    restore: (state, kept) => {
      for (const row of kept) state.set(row.path, row);
    },
  },
});

/** What stands at a path. */
export interface SeenFile {
  readonly path: string;
  /** Of the bytes, or of the text of a link; undefined: nobody knows. */
  readonly digest: string | undefined;
  /** Absent: a file. */
  readonly isLink?: boolean;
}

export function trustOf(known: Files, { path, digest, isLink = false }: SeenFile): Label['trust'] {
  const row = known.get(path);
  const isRecorded = row !== undefined && row.digest === digest && (row.isLink === true) === isLink;
  return isRecorded && row.trusted ? 'Trusted' : 'Untrusted';
}

/** The label of a file's content, or of a link's text. */
export function labelOfFile(known: Files, seen: SeenFile): Label {
  const { path } = seen;
  const readers = known.get(path)?.readers ?? [OWNER];
  return { source: { kind: 'Workspace', name: path }, trust: trustOf(known, seen), readers };
}

/** The label of what somebody makes of all these files; that of the workspace itself where there is none. */
export function labelOfFiles(known: Files, seen: Iterable<SeenFile>): Label {
  const none: Label = { source: { kind: 'Workspace' }, trust: 'Trusted', readers: [OWNER] };
  return [...seen].reduce((label, file) => join(label, labelOfFile(known, file)), none);
}

/**
 * The label of the names of files and links: a name is that of whoever recorded the file, whatever was put into it since. A directory
 * is trusted if it holds a trusted file.
 *
 * @param principal  of the run that is shown the names; those of files that others may not read are not its own
 */
export function labelOfNames(known: Files, paths: readonly string[], principal = OWNER): Label {
  const directories = trustedDirectories(known);
  const untrusted = paths.find((it) => known.get(it)?.trusted !== true && !directories.has(it));
  const readers = paths.map((it) => known.get(it)?.readers ?? 'Everyone').reduce(narrowed, readersOf(principal));
  const source = { kind: 'Workspace', ...(untrusted === undefined ? {} : { name: untrusted }) } as const;
  return { source, trust: untrusted === undefined ? 'Trusted' : 'Untrusted', readers };
}

/** From the deepest one up: where one is known, so are those above it. */
function trustedDirectories(known: Files): ReadonlySet<string> {
  const directories = new Set<string>();
  for (const { path: file, trusted } of known.values()) {
    if (!trusted) continue;
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const parent = file.slice(0, at);
      if (directories.has(parent)) break;
      directories.add(parent);
    }
  }
  return directories;
}
