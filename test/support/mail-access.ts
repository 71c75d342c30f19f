/** How an agent of a test reaches its mail server: directly, with the authority of the tests, and in a hurry. */
import type { MailAccess } from '@retainer/agent-pod/mail/open-servers';
import type { Clock } from '@retainer/contract/std/clock';
import { AGENT, type MailServer, type MailUser } from './mail-server.ts';

const soon = { initialMs: 100, factor: 2, ceilingMs: 500, jitterRatio: 0 };

export function mailDirectAccess(server: Pick<MailServer, 'ca'>, clock: Clock, user: MailUser = AGENT): MailAccess {
  return {
    credentials: () => Promise.resolve({ user: user.address, password: user.password }),
    ...{
      authorities: () => Promise.resolve([server.ca]),
      proxy: () => Promise.resolve(undefined),
      clock,
      random: () => 0,
    },
    resolve: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    pauses: { again: soon, loginAgain: soon, steadyMs: 1_000 },
  };
}
