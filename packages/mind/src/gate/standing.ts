/**
 * What stands where a call acts: what it replaces, and the files that it names. A person sees it as *there now*, and an approval is
 * bound to its digest.
 */
import { z } from 'zod';

/** Files and directories that are shown to a person by name; no more fit on a screen. The digest covers all of them. */
export const NAMED_SHOWN_MAX = 12;

/** Files that the arguments name. */
export const NamedFiles = z.object({
  shown: z
    .array(
      z.object({
        /** Relative to the workspace; of a directory with a slash at its end. */
        path: z.string(),
        /** Of a directory: of the list of everything in it, with digests. */
        sha256: z.string(),
      }),
    )
    .max(NAMED_SHOWN_MAX),
  /** Further ones, and those that the shown ones name in turn. Absent: none. */
  more: z.number().exactOptional(),
  /** The call also replaces something, which `sha256` of the standing covers. */
  replaces: z.literal(true).exactOptional(),
});
export type NamedFiles = Readonly<z.infer<typeof NamedFiles>>;

export interface Standing {
  /** SHA-256 of all of it. */
  readonly sha256: string;
  /** Absent: the call names none. */
  readonly named?: NamedFiles;
}

/** Of a tool use of an answer. */
export const StandingUse = z.object({ use: z.string(), sha256: z.string(), named: NamedFiles.exactOptional() });

/** Of an event; absent when nothing stands there. */
export const standsThere = { standing: z.string().exactOptional(), named: NamedFiles.exactOptional() } as const;

/** As an event, a question or a call has it. */
export interface StandingFields {
  readonly standing?: string;
  readonly named?: NamedFiles;
}

export function standingFields({ standing, named }: StandingFields): StandingFields {
  return { ...(standing === undefined ? {} : { standing }), ...(named === undefined ? {} : { named }) };
}

/** As {@link standingFields}, of what was found. */
export function foundStanding(found: Standing | undefined): StandingFields {
  return found === undefined ? {} : { ...standingFields({ ...found, standing: found.sha256 }) };
}

/** Whether the call replaces what stands there, and does not only name it. */
export function isReplacing({ standing, named }: StandingFields): boolean {
  return standing !== undefined && (named === undefined || named.replaces === true);
}
