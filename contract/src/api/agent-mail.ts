/**
 * What an agent tells of its mail: on a cluster as a note on its Lease, the text of the annotation `ANNOTATIONS.mail`, which the
 * operator puts into the status of its Agent. It changes only when a server comes or goes and when letters are decided, so an agent at
 * rest changes nothing. It holds counts and words of code: no address and no word of a letter.
 */
import { z } from 'zod';
import { parseJson } from '../std/parse-json.ts';
import { Instant, PascalCase } from './fields.ts';

const Count = z.int().min(0);

/** `Down`: tries go on by themselves. `Untried` is no `Off`, which YAML of the API server reads as false. */
const server = {
  state: z.enum(['Untried', 'Connecting', 'Up', 'Down']).describe('Whether the agent reaches it.'),
  since: Instant.describe('Time since when this is its state.'),
  reason: PascalCase.optional().describe('What is wrong, or not as it should be; absent: nothing.'),
} as const;

export const AgentMail = z
  .object({
    incoming: z
      .object({
        ...server,
        way: z
          .enum(['Idle', 'Poll'])
          .optional()
          .describe('Idle: it tells of new mail by itself. Poll: it is asked each pollInterval.'),
      })
      .describe('Server for incoming mail.'),
    outgoing: z.object(server).describe('Server for outgoing mail.'),
    unread: Count.optional().describe('Number of letters whose work has not begun.'),
    held: Count.describe('Number of letters that wait for a person.'),
    unanswered: Count.describe('Number of letters with work that no mail has answered.'),
    unknown: Count.describe('Number of mails of which nobody knows whether they were sent.'),
    tripped: Count.describe('Number of other agents whose letters wait, because the two agents went in circles.'),
  })
  .describe('Mail of the agent, as it tells it; retainer mail list shows letters.');
export type AgentMail = Readonly<z.infer<typeof AgentMail>>;

/** @returns undefined where there is no note, or none that can be read */
export function parseAgentMail(text: string | undefined): AgentMail | undefined {
  return text === undefined ? undefined : AgentMail.safeParse(parseJson(text)).data;
}
