/**
 * What a cycle may change inside the agent: its workspace, its memory, and what it shows to people. If it has read untrusted
 * text, or nobody watches, a stranger may direct it. So it needs a person's permission to change what existed before.
 *
 * I1  A file that existed before the run stays unchanged, unless the Task names it, the run wrote it, or the character grants its
 *     path alone. A new file is free: later readers do not trust what a cycle writes after untrusted text (`memory/files.ts`).
 * I2  A trusted fact is replaced only if the Task names its key. A fact under a key that the Task does not name is not trusted
 *     (`factLabel`).
 * I3  A page is served only if the Task names the tool, or the plan names it and was made before anything else was read.
 *
 * A call's arguments do not show what a program changes. So nothing is taken of what it does to files that I1 protects
 * (`programView`).
 *
 * Source: reliability-security 4 (plan then execute; a consequential act must be impossible), 7; design 5.
 */
import type { CompiledEntry } from '../authority-entry.ts';
import type { KnownTools } from '../tool-facts.ts';
import type { ToolPolicy } from '../tool-policies.ts';
import type { Verdict } from '../verdict.ts';
import { doubtOf, type Circumstances } from './flow-policies.ts';
import { isFree, ownAndNamed, type FreeFiles } from './free-files.ts';
import { isWordOf } from './named-by-people.ts';

function asking(rule: string, reason: string): Verdict {
  return { gate: 'Tool', kind: 'Escalate', rule, reason };
}

/** @param alone  the character's granting entries; those without paths grant no particular file */
export function otherFilePolicy(alone: readonly CompiledEntry[]): ToolPolicy {
  const granting = alone.filter(({ globs }) => globs.length > 0);
  return {
    name: 'inside/other-file',
    judge(call, { read, autonomous, replaces }) {
      const doubt = doubtOf({ read, autonomous });
      if (replaces !== true || call.writePaths.length === 0 || doubt === undefined) return undefined;
      const free = ownAndNamed(read ?? {});
      if (call.writePaths.every((path) => isFree(path, free)) || granting.some((entry) => entry.covers(call)))
        return undefined;
      return asking(
        'inside/other-file',
        `${doubt}, and the file was there before. The Task does not name it, and this run did not write it.`,
      );
    },
  };
}

export const believedFactPolicy: ToolPolicy = {
  name: 'inside/believed-fact',
  judge(call, { read, autonomous, replaces }) {
    const doubt = doubtOf({ read, autonomous });
    if (replaces !== true || call.factKey === undefined || doubt === undefined) return undefined;
    if (isWordOf(read?.asked ?? '', call.factKey)) return undefined;
    return asking(
      'inside/believed-fact',
      `${doubt}, and a trusted fact is kept under this key. The Task does not name the key; another key is free.`,
    );
  },
};

export function servingPolicy(known: KnownTools): ToolPolicy {
  return {
    name: 'inside/serving',
    judge(call, { read, autonomous }) {
      const doubt = doubtOf({ read, autonomous });
      if (!known.factsOf(call.tool).showsPeople || read === undefined || doubt === undefined) return undefined;
      if (isWordOf(read.asked ?? '', call.tool) || read.planned?.includes(call.tool) === true) return undefined;
      return asking(
        'inside/serving',
        `${doubt}, and people would see what this shows. Neither the Task nor the plan that was made before names ${call.tool}.`,
      );
    },
  };
}

/**
 * The existing files that a program may change.
 *
 * @param alone  as for {@link otherFilePolicy}
 * @returns      undefined: all of them
 */
export function freeFiles(alone: readonly CompiledEntry[], circumstances: Circumstances): FreeFiles | undefined {
  if (doubtOf(circumstances) === undefined) return undefined;
  const { paths, globs } = ownAndNamed(circumstances.read ?? {});
  return { paths, globs: [...globs, ...alone.flatMap((entry) => entry.scriptGlobs)] };
}
