/**
 * Where a text comes from, whether it may be believed, and who may read it. Every item of a cycle's context has such a label, and
 * what is made of several items has the lowest trust and the narrowest readers of them all.
 *
 * Source: reliability-security 4 (labels on every value); design 5.
 */
import { z } from 'zod';

export const SOURCE_KINDS = [
  'Operator',
  'Task',
  'Person',
  'Workspace',
  'Web',
  'Tool',
  'Skill',
  'Memory',
  'Subtask',
] as const;

/** From the widest to the narrowest. */
const READERS = ['Everyone', 'Principal', 'Agent'] as const;

export const Label = z.object({
  source: z.object({
    kind: z.enum(SOURCE_KINDS),
    /** The path, host, tool or cycle that it came from. Never part of the text itself. */
    name: z.string().exactOptional(),
  }),
  trust: z.enum(['Trusted', 'Untrusted']),
  /** Everyone: it is public already. Principal: who gave the Task. Agent: nobody else. */
  readers: z.enum(READERS),
});
export type Label = z.infer<typeof Label>;
export type SourceKind = Label['source']['kind'];

/** What is made of both. The source is that of the first which is not trusted, or of the first. */
export function join(a: Label, b: Label): Label {
  const isSecondWorse = a.trust === 'Trusted' && b.trust === 'Untrusted';
  return {
    source: (isSecondWorse ? b : a).source,
    trust: isSecondWorse ? 'Untrusted' : a.trust,
    readers: READERS[Math.max(READERS.indexOf(a.readers), READERS.indexOf(b.readers))] ?? 'Agent',
  };
}

export function joinAll(labels: readonly Label[]): Label | undefined {
  const [first, ...rest] = labels;
  return first === undefined ? undefined : rest.reduce(join, first);
}

const SOURCE_WORDS: Readonly<Record<SourceKind, string>> = {
  Operator: 'the operator',
  Task: 'the Task',
  Person: 'a person',
  Workspace: 'the workspace',
  Web: 'the web',
  Tool: 'a tool',
  Skill: 'a skill',
  Memory: 'memory',
  Subtask: 'an earlier step',
};

/** Characters of a name in a sentence. */
const NAME_CHARACTERS = 120;

/** For people and for the model: `the web (example.org)`. Names hold what a model or a stranger chose, so they are JSON. */
export function sourceWords({ kind, name }: Label['source']): string {
  const words = SOURCE_WORDS[kind];
  return name === undefined ? words : `${words} (${JSON.stringify(name.slice(0, NAME_CHARACTERS)).slice(1, -1)})`;
}
