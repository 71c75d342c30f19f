/**
 * Tools with the facts of those of an agent with a mailbox, under names of their own: any worker has them, and no server is asked. Letters
 * lie in the workspace.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ToolDescriptor } from '../../tools/tool.ts';

export const ANN = 'ann@customer.example';
export const BEN = 'ben@customer.example';

/** Whoever the agent may write to, as `channels.email.allowedRecipients` says it. */
const ALLOWED_RECIPIENTS: readonly string[] = [ANN, BEN];

/** Where letters lie, by their ids. */
export const letterFile = (id: string): string => `letters/${id}.txt`;

const touchesNothing = () => ({ readPaths: [], writePaths: [], domains: [] });
const harmless = { runsCode: false, showsPeople: false, actsLater: false, writes: 'Nothing' } as const;

export const sendEmail: ToolDescriptor<{ readonly to: string; readonly text: string }> = {
  facts: {
    name: 'send_letter',
    effectClass: 3,
    reachesOutside: true,
    ...harmless,
    output: { source: 'Tool', trust: 'Trusted', readers: 'Principal' },
    verb: { verb: 'sends a letter to', object: 'to', text: 'text' },
    arguments: { to: 'Destination', text: 'Content' },
  },
  offer: () => ({
    description: 'Sends a letter to one of the allowed recipients.',
    input: z.strictObject({ to: z.string(), text: z.string() }),
    touches: touchesNothing,
    run: ({ to }) => {
      const isAllowed = ALLOWED_RECIPIENTS.includes(to);
      return Promise.resolve({ isError: !isAllowed, text: isAllowed ? 'Sent.' : `${to} is no allowed recipient.` });
    },
  }),
};

export const readMessage: ToolDescriptor<{ readonly id: string }> = {
  facts: {
    name: 'read_enclosed',
    effectClass: 0,
    reachesOutside: false,
    ...harmless,
    output: { source: 'Tool', trust: 'Untrusted', readers: 'Principal' },
    arguments: { id: 'Target' },
  },
  offer: () => ({
    description: 'Shows what came with a letter and is not its sender’s own words: quotes, attachments.',
    input: z.strictObject({ id: z.string().regex(/^[a-z-]+$/) }),
    touches: touchesNothing,
    run: async ({ id }, { workspaceDirectory }) => {
      const text = await readFile(join(workspaceDirectory, letterFile(id)), 'utf8').catch(() => undefined);
      return { isError: text === undefined, text: text ?? `There is no ${id}.` };
    },
  }),
};
