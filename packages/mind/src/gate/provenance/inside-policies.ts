/**
 * What a cycle may change inside the agent: its workspace, its memory, and what it shows to people. A cycle that has read untrusted
 * text, or that nobody watches, may have been told by a stranger what to do, so it needs a person's leave for what was there before.
 *
 * I1  A file that was there before the run stays as it is, unless the Task names it, the run wrote it, or the character grants its
 *     path alone. A new file is free: whoever reads it later reads it as what it is, not believed.
 * I2  A believed fact is replaced only where the Task names its key. A fact that is kept under a key that the Task does not name is
 *     not believed (`factLabel`).
 * I3  A page is served where the Task, or the plan that was made before anything else was read, names the tool.
 *
 * What a program changes is no argument of its call: files that I1 keeps are read-only for it (`keptFiles`).
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

/** @param alone  entries of the character that grant; those without paths grant no particular file */
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
      `${doubt}, and what is kept under this key is believed. The Task does not name the key; another key is free.`,
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
 * Files that a program may change although they were there before.
 *
 * @param alone  as for {@link otherFilePolicy}
 * @returns      undefined: all of them
 */
export function freeFiles(alone: readonly CompiledEntry[], circumstances: Circumstances): FreeFiles | undefined {
  if (doubtOf(circumstances) === undefined) return undefined;
  const { paths, globs } = ownAndNamed(circumstances.read ?? {});
  return { paths, globs: [...globs, ...alone.flatMap((entry) => entry.scriptGlobs)] };
}
