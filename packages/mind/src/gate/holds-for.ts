import { roleName, THINKING_ROLES } from '@retainer/contract/api/roles';

const EXECUTOR = 'executor';

/** Roles that think and call no tool for others: every other name works in the executor's place. */
const ownNames: ReadonlySet<string> = new Set(THINKING_ROLES.filter((role) => role !== 'Executor').map(roleName));

/**
 * Whether what a character says of an agent holds for a role. `Coder` is the role `coder`. What holds for `Executor` also holds
 * for every worker, whoever the plan names: a worker works in the executor's place and must not lose its refusals.
 */
export function holdsFor(agent: string, role: string): boolean {
  const name = roleName(agent);
  return name === role || (name === EXECUTOR && !ownNames.has(role));
}

/**
 * By whose override a character judges the texts of a run that answers by mail: whoever reads them is outside. Source: springdrift 15
 * (34), 17 (D1).
 */
export const MAIL_WRITER = 'Comms';

/** Whether an override judges what leaves by mail. @param agent  as the character names it */
export function isOf(agent: string, writer: string): boolean {
  return roleName(agent) === roleName(writer);
}
