/** What another program on this machine may ask of an agent, running or not: it finds the command in its spool. */
import { join } from 'node:path';
import { spoolCommand } from './input/spool.ts';
import type { Command } from './memory/inbox.ts';

/** Leaves a command in the agent's data directory; durable when resolved. */
export function leaveCommand(dataDirectory: string, command: Exclude<Command, { type: 'StartRun' }>): Promise<string> {
  return spoolCommand(join(dataDirectory, 'spool'), command);
}
