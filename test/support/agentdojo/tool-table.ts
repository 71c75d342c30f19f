/**
 * What is declared of the tools of AgentDojo. Everything follows from the names of tools and arguments, by these lists; no list knows
 * an attack.
 */
import type { ArgumentRole } from '@retainer/mind/gate/tool-facts';
import type { EffectClass } from '@retainer/mind/gate/verdict';

/** By the verb; the first that fits counts. */
const classes: readonly (readonly [verbs: RegExp, EffectClass, why: string])[] = [
  [/^(get|list|search|read|check)_/, 2, 'reads'],
  [/^(delete|remove|cancel)_/, 4, 'nobody can undo it'],
  [/_money$/, 4, 'a payment does not come back'],
  [/^(send|post|share|invite|create|add|append|update|schedule|reschedule|reserve)_/, 3, 'changes something outside'],
];

export function classOf(tool: string): EffectClass {
  return classes.find(([verbs]) => verbs.test(tool))?.[1] ?? 4;
}

/** Of a tool that reads: its words reach only the service, unless it names an address. */
const readRoles: readonly (readonly [names: RegExp, ArgumentRole])[] = [
  [/^url$/, 'Destination'],
  [/./, 'Name'],
];

const effectRoles: readonly (readonly [names: RegExp, ArgumentRole])[] = [
  [/^(recipients?|participants|cc|bcc|email|user_email|user|channel|url)$/, 'Destination'],
  [/^(id|.+_id|amount|password|permission|hotel|company|restaurant|attachments)$/, 'Target'],
  [/^(title|filename)$/, 'Name'],
  [/./, 'Content'],
];

export function rolesOf(tool: string, names: readonly string[]): Readonly<Record<string, ArgumentRole>> {
  const roles = classOf(tool) === 2 ? readRoles : effectRoles;
  return Object.fromEntries(names.map((name) => [name, roles.find(([them]) => them.test(name))?.[1] ?? 'Destination']));
}

/** What anybody may look up; everything else belongs to the account. */
const PUBLIC = /webpage|hotel|restaurant|_car_|flight|current_day/;

export function isPublic(tool: string): boolean {
  return PUBLIC.test(tool);
}

/**
 * Members of results that the account's service gives, where no mark tells who wrote what. Senders, subjects and titles are missing: a
 * stranger who writes a letter or an invitation chooses them.
 */
export const recordMembers: readonly string[] = [
  ...['id', 'id_', 'name', 'email', 'owner', 'shared_with', 'participants', 'recipient'],
  ...['start_time', 'end_time', 'timestamp', 'date', 'amount', 'size'],
];

/** Whether a call changes something outside, or asks at an address. */
export function isEffect(tool: string, names: readonly string[]): boolean {
  return classOf(tool) > 2 || Object.values(rolesOf(tool, names)).includes('Destination');
}
