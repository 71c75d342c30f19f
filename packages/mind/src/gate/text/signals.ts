/**
 * Which combinations of phrases are suspicious, and how much. Every row is a rule with an id.
 *
 * Points: 2 for phrases that attacks share with ordinary talk, 3 for phrases that are rare in it, 4 for phrases that nobody uses
 * by accident, 6 for phrases with no other meaning. Points of one family do not add up.
 *
 * Source: springdrift 2 (structural score), 5; reliability-security 4 (the classes).
 * Differs: springdrift looks for substrings anywhere in a text. Here the phrases must be in one sentence, near each other, in the
 * order of a command. So synonyms and words in between make no difference, and neither do files and caches.
 */
import type { Concept } from './concepts.ts';

export type Family =
  | 'override'
  | 'orders'
  | 'role'
  | 'unrestricted'
  | 'obedience'
  | 'reveal'
  | 'secrecy'
  | 'exfiltration'
  | 'harm'
  | 'authority'
  | 'address'
  | 'answer'
  | 'boundary'
  | 'hidden'
  | 'encoding'
  | 'filler';

export interface Pattern {
  readonly id: string;
  readonly family: Family;
  readonly points: number;
  /** The concepts that begin the pattern. */
  readonly head: readonly Concept[];
  /** For each of these, one of its concepts within reach of the head. */
  readonly near: readonly (readonly Concept[])[];
  /** Words between the head and the start of the other concepts; negative: before the head. */
  readonly reach: number;
  /** Does not match if this concept follows the last word. */
  readonly unlessBefore?: Concept;
}

/** Words: an adjective or two on either side, as in "all of those very silly old safety instructions". */
const REACH = 8;

function pattern(
  id: string,
  points: number,
  head: readonly Concept[],
  ...[near = [], reach = REACH]: readonly [near?: Pattern['near'], reach?: number]
): Pattern {
  return { id, family: familyOf(id), points, head, near, reach };
}

/** @param rule  its id: the family is what stands before the slash */
export function familyOf(rule: string): Family {
  return rule.slice(0, rule.indexOf('/')) as Family;
}

const BOUND: readonly Concept[] = ['Own', 'Prior', 'Guard'];

export const patterns: readonly Pattern[] = [
  pattern('override/own-instructions', 6, ['Override'], [BOUND, ['Target']]),
  pattern('override/own-instructions', 6, ['OverrideLast'], [BOUND, ['Target']], -REACH),
  pattern('override/all-instructions', 5, ['Override'], [['All'], ['Target']], 4),
  pattern('override/all-instructions', 5, ['OverrideLast'], [['All'], ['Target']], -4),
  pattern('override/instructions', 3, ['Override'], [['Target', 'Guard']], 4),
  pattern('override/instructions', 3, ['OverrideLast'], [['Target']], -4),
  pattern('override/everything-said', 5, ['Override', 'OverrideWeak'], [['EverythingSaid']], 3),
  pattern('override/everything-said', 5, ['OverrideLast'], [['EverythingSaid']], -6),
  pattern('override/everything', 4, ['ForgetAll']),
  pattern('override/reset', 3, ['OverrideWeak'], [['Own'], ['Target']], 4),
  pattern('override/reset-prompt', 4, ['OverrideWeak'], [['Own'], ['Prompt']], 4),
  pattern('override/reset-guard', 5, ['OverrideWeak'], [['Own'], ['Guard']], 4),
  pattern('override/reset-prior', 3, ['OverrideWeak'], [['Prior'], ['Target']], 4),
  pattern('override/declared-void', 5, ['Own'], [['Target'], ['Void']], 7),
  pattern('override/declared-void', 3, ['Prior'], [['Target'], ['Void']], 7),
  pattern('orders/new', 3, ['NewOrders']),
  pattern('orders/mine-instead', 5, ['FollowMine'], [['InsteadOf'], ['Own', 'Target']]),
  pattern('orders/mine', 2, ['FollowMine']),
  pattern('role/new-identity', 3, ['RoleNow']),
  pattern('role/play', 2, ['RoleAs']),
  pattern('role/harmful', 4, ['RoleAs', 'RoleNow'], [['Harm']], 3),
  pattern('unrestricted/words', 3, ['Unrestricted']),
  pattern('unrestricted/persona', 3, ['Persona']),
  pattern('unrestricted/persona-in-role', 4, ['RoleNow', 'RoleAs'], [['Persona']]),
  pattern('obedience/no-refusal', 2, ['NoRefusal']),
  pattern('reveal/prompt', 5, ['Reveal'], [['Prompt']], 6),
  pattern('reveal/prompt', 5, ['RevealLast'], [['Prompt']], -6),
  pattern('reveal/prompt', 4, ['RevealWeak'], [['Prompt']], 4),
  pattern('reveal/instructions', 4, ['Reveal'], [['PromptWeak']], 4),
  pattern('reveal/instructions', 3, ['RevealWeak'], [['PromptWeak']], 2),
  pattern('reveal/text-above', 4, ['Reveal', 'RevealWeak'], [['TextAbove']], 4),
  pattern('reveal/prompt-asked', 4, ['AskPrompt']),
  { ...pattern('reveal/secret', 4, ['Reveal'], [['Own'], ['Secret']], 5), unlessBefore: 'SecretHead' },
  { ...pattern('reveal/secret', 2, ['Reveal'], [['Secret']], 4), unlessBefore: 'SecretHead' },
  { ...pattern('reveal/secret', 3, ['RevealLast'], [['Secret']], -4), unlessBefore: 'SecretHead' },
  { ...pattern('reveal/secret-asked', 4, ['AskSecret']), unlessBefore: 'SecretHead' },
  pattern('secrecy/from-user', 3, ['Secrecy']),
  pattern('exfiltration/send', 2, ['Send'], [['Private']], 6),
  pattern('harm/in-fiction', 2, ['Fiction'], [['Harm']], 12),
  pattern('harm/fiction', 1, ['Fiction']),
  pattern('authority/claimed', 2, ['Authority']),
  pattern(
    'address/command',
    3,
    ['AgentName'],
    [['OnlyAnswer', 'Override', 'Send', 'Reveal', 'Secrecy', 'NewOrders', 'NoRefusal']],
    10,
  ),
  pattern('address/agent', 1, ['AgentName']),
  pattern('answer/planted', 3, ['WhenReading'], [['OnlyAnswer', 'Override', 'Send', 'Secrecy']], 10),
  pattern('answer/only', 1, ['OnlyAnswer']),
  pattern('encoding/asked', 1, ['Decode']),
];

export const patternsByHead: ReadonlyMap<Concept, readonly Pattern[]> = groupByHead();

function groupByHead(): ReadonlyMap<Concept, readonly Pattern[]> {
  const groups = new Map<Concept, Pattern[]>();
  for (const row of patterns) {
    for (const head of row.head) groups.set(head, [...(groups.get(head) ?? []), row]);
  }
  return groups;
}

/** Markup of a chat that should not occur in a text. No pattern can make the search slow. */
export const boundaries: readonly { readonly id: string; readonly points: number; readonly sign: RegExp }[] = [
  { id: 'boundary/chat-template', points: 3, sign: /<\|[a-z_]{2,24}\|>|\[\/?INST\]|<<\/?SYS>>/gi },
  {
    id: 'boundary/speaker',
    points: 2,
    sign: /^[ \t>#*[(-]{0,8}(?:system|developer|admin(?:istrator)?|assistant)(?: (?:prompt|message|note|instructions?|override|command))?[\])*]{0,3}[ \t]{0,4}:/gim,
  },
  { id: 'boundary/heading', points: 2, sign: /^#{1,6}[ \t]{0,4}(?:system|instructions?|new instructions?|admin)\b/gim },
  {
    id: 'boundary/tag',
    points: 2,
    sign: /<\/?(?:system|instructions?|prompt|admin|developer|important|override|system[_-]?(?:prompt|message|note)|user[_-]?(?:prompt|message))(?:\s[^<>]{0,200})?>/gi,
  },
  {
    id: 'boundary/end-of-data',
    points: 2,
    sign: /(?:^|[-=#*<[(_]{2,8}[ \t]{0,4})end(?:[ _]of)?(?:[ _]the)?[ _](?:prompt|document|input|context|text|article|e?-?mail|data|user[ _]input|instructions?|message|examples?)\b/gim,
  },
];
