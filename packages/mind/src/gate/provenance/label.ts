/**
 * The label of a text: its source, whether it is trusted, and who may read it. Every item of a cycle's context has a label. A
 * text made from several items gets the lowest trust and the common readers of them all.
 *
 * Source: reliability-security 4 (labels on every value); design 5.
 */
import { z } from 'zod';
import { asciiLowerCase, isListedAddress } from './mail-address.ts';

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

/** Whoever gives Tasks and manifests. It may read everything but what is for nobody. */
export const OWNER = 'owner';

/** Every principal of this agent. */
export const PEOPLE = 'people';

/**
 * Who may read a text. `Everyone`: it is public. Else principals, sorted, each once: `owner`, `people` or `mail:ADDRESS`. Empty: nobody
 * but the agent.
 */
export const Readers = z.union([z.literal('Everyone'), z.array(z.string()).readonly()]);
export type Readers = z.infer<typeof Readers>;

export const Label = z.object({
  source: z.object({
    kind: z.enum(SOURCE_KINDS),
    /** The path, host, tool or cycle of origin. Never part of the text itself. */
    name: z.string().exactOptional(),
  }),
  trust: z.enum(['Trusted', 'Untrusted']),
  readers: Readers,
});
export type Label = z.infer<typeof Label>;
export type SourceKind = Label['source']['kind'];

/** The label of a text made from both. The source is that of the first untrusted label, else of the first label. */
export function join(a: Label, b: Label): Label {
  const isSecondWorse = a.trust === 'Trusted' && b.trust === 'Untrusted';
  return {
    source: (isSecondWorse ? b : a).source,
    trust: isSecondWorse ? 'Untrusted' : a.trust,
    readers: narrowed(a.readers, b.readers),
  };
}

/** Who may read what was made from both: their common readers. */
export function narrowed(a: Readers, b: Readers): Readers {
  if (a === 'Everyone') return b;
  if (b === 'Everyone') return a;
  const common = [...a.filter((it) => isAmong(b, it)), ...b.filter((it) => isAmong(a, it))];
  return common.includes(PEOPLE) ? [PEOPLE] : [...new Set(common)].toSorted();
}

/** Whether the set has the principal, by its name or among all people. */
function isAmong(readers: readonly string[], principal: string): boolean {
  return readers.includes(principal) || readers.includes(PEOPLE);
}

export function mayRead(readers: Readers, principal: string): boolean {
  if (readers === 'Everyone') return true;
  return principal === OWNER ? readers.length > 0 : isAmong(readers, principal);
}

/** Who may read what belongs to this principal: it, and the owner. */
export function readersOf(principal: string): Readers {
  return principal === OWNER ? [OWNER] : [principal, OWNER].toSorted();
}

/** Whether a text is the owner's, and nobody else's. */
export function isOwners(readers: Readers): boolean {
  return readers.length === 1 && readers[0] === OWNER;
}

/** Whether a text is another one's than this principal's and the owner's: nobody here may release it. */
export function isOfAnother(readers: Readers, principal: string): boolean {
  return !mayRead(readers, principal) && !isOwners(readers);
}

/** The principal of a mail address. @param owners  addresses, or `*@` and a domain, whose holders are the owner */
export function principalOfAddress(address: string, owners: readonly string[] = []): string {
  return isListedAddress(address, owners) ? OWNER : `mail:${asciiLowerCase(address)}`;
}

export function joinAll(labels: readonly Label[]): Label | undefined {
  const [first, ...rest] = labels;
  return first === undefined ? undefined : rest.reduce(join, first);
}

/** For people: `everyone`, `the owner, mail:ann@example.org`. */
export function readersWords(readers: Readers): string {
  if (readers === 'Everyone') return 'everyone';
  if (readers.length === 0) return 'the agent alone';
  return readers.map((it) => READER_WORDS[it] ?? JSON.stringify(it).slice(1, -1)).join(', ');
}

const READER_WORDS: Readonly<Record<string, string>> = { [OWNER]: 'the owner', [PEOPLE]: 'all its people' };

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
