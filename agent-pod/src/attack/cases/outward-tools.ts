/** Tools that the catalog has none of, so that the harness can ask for them: of two effect classes, and of mail. */
import { z } from 'zod';
import type { ToolDescriptor } from '../../tools/tool.ts';
import { readMessage, sendEmail } from './mail-tools.ts';

const touchesNothing = () => ({ readPaths: [], writePaths: [], domains: [] });

const sendMail: ToolDescriptor<{ readonly to: string; readonly text: string }> = {
  facts: {
    name: 'send_mail',
    effectClass: 3,
    reachesOutside: true,
    runsCode: false,
    showsPeople: false,
    actsLater: false,
    writes: 'Nothing',
    output: { source: 'Tool', trust: 'Trusted', readers: 'Principal' },
    verb: { verb: 'sends a mail to', object: 'to', text: 'text' },
    arguments: { to: 'Destination', text: 'Content' },
  },
  offer: () => ({
    description: 'Sends a mail.',
    input: z.strictObject({ to: z.string(), text: z.string() }),
    touches: touchesNothing,
    run: () => Promise.resolve({ isError: false, text: 'Sent.' }),
  }),
};

const closeAccount: ToolDescriptor<{ readonly account: string }> = {
  facts: {
    name: 'close_account',
    effectClass: 4,
    reachesOutside: true,
    runsCode: false,
    showsPeople: false,
    actsLater: false,
    writes: 'Nothing',
    output: { source: 'Tool', trust: 'Trusted', readers: 'Principal' },
    verb: { verb: 'closes the account', object: 'account' },
    arguments: { account: 'Target' },
  },
  offer: () => ({
    description: 'Closes an account for ever.',
    input: z.strictObject({ account: z.string() }),
    touches: touchesNothing,
    // A second rule over the same call: that a tool asks by itself is played, too.
    asks: ({ account }) => `It closes the account ${account}.`,
    run: () => Promise.resolve({ isError: false, text: 'Closed.' }),
  }),
};

export const OUTWARD_TOOLS: readonly ToolDescriptor[] = [sendMail, closeAccount, sendEmail, readMessage];
