/**
 * A lesson in words, as a person teaches it. It is a rule for every plan: a constraint binds, the rest is preferred.
 *
 * Source: artoo A.11 (lesson, tags, category and calls; what a user declares is a rule at once).
 */
import { z } from 'zod';
import { USER_PAIR } from './megram-space.ts';
import type { StoredMegram } from './potentials.ts';

export const LESSON_CATEGORIES = ['Fact', 'Procedure', 'Constraint'] as const;

/** Characters. A plan is shown as many of one memory. */
const LESSON_CHARACTERS_MAX = 400;

/** A tag is a word or two. */
const TAG_CHARACTERS_MAX = 32;

/** Tools on targets: more are a list, which belongs in a file. */
const CALLS_MAX = 8;
/** A name, and a path or an address. */
const TOOL_CHARACTERS_MAX = 64;
const TARGET_CHARACTERS_MAX = 200;

export const lessonFields = {
  lesson: z.string().trim().min(1).max(LESSON_CHARACTERS_MAX),
  /** What it is about. A Task that names a tag is told the lesson before others. */
  tags: z.array(z.string().trim().min(1).max(TAG_CHARACTERS_MAX)).min(2).max(5),
  category: z.enum(LESSON_CATEGORIES),
  /** The tools that it is about, each on a target or, where that is empty, on any. */
  calls: z
    .array(
      z.object({ tool: z.string().min(1).max(TOOL_CHARACTERS_MAX), target: z.string().max(TARGET_CHARACTERS_MAX) }),
    )
    .max(CALLS_MAX),
};

const Lesson = z.object({ id: z.string(), ...lessonFields, atMs: z.number() });

/** It has full strength and does not fade; a person believes it. */
export function megramOf({ id, lesson, tags, category, calls, atMs }: z.infer<typeof Lesson>): StoredMegram {
  return {
    id,
    level: 'C',
    createdAtMs: atMs,
    space: USER_PAIR.space,
    entity: 'user:lesson',
    content: lesson,
    state: 'Accept',
    f: 1,
    sigma: category === 'Constraint' ? -1 : 1,
    k: 0,
    isTrusted: true,
    tags,
    ...(calls.length === 0 ? {} : { blamed: calls }),
  };
}
