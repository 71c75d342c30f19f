/**
 * The label of a text: its source, whether it is trusted, and who may read it. Every item of a cycle's context has a label. A
 * text made from several items gets the lowest trust and the narrowest readers of them all.
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

/** From widest to narrowest. */
export const READERS = ['Everyone', 'Principal', 'Agent'] as const;

export const Label = z.object({
  source: z.object({
    kind: z.enum(SOURCE_KINDS),
    /** The path, host, tool or cycle of origin. Never part of the text itself. */
    name: z.string().exactOptional(),
  }),
  trust: z.enum(['Trusted', 'Untrusted']),
  /** Everyone: already public. Principal: whoever gave the Task. Agent: only the agent. */
  readers: z.enum(READERS),
});
export type Label = z.infer<typeof Label>;
export type SourceKind = Label['source']['kind'];

/** The label of a text made from both. The source is that of the first untrusted label, else of the first label. */
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

/** Characters of a name within a sentence. */
const NAME_CHARACTERS = 120;

/** For people and the model: `the web (example.org)`. A model or a stranger may have chosen the name: it is escaped. */
export function sourceWords({ kind, name }: Label['source']): string {
  const words = SOURCE_WORDS[kind];
  return name === undefined ? words : `${words} (${JSON.stringify(name.slice(0, NAME_CHARACTERS)).slice(1, -1)})`;
}
