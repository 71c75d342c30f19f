/** A process that opens a mailbox, waits for news, logs in to send, and closes both: what is left keeps it alive. */
import { systemClock } from '@retainer/contract/std/system-clock';
import { ImapMailbox } from '@retainer/agent-pod/mail/mailbox';
import { SmtpSender } from '@retainer/agent-pod/mail/sender';

interface Told {
  readonly host: string;
  readonly imapPort: number;
  readonly smtpPort: number;
  readonly ca: string;
  readonly user: string;
  readonly password: string;
}

const { host, imapPort, smtpPort, ca, user, password } = JSON.parse(process.argv[2] ?? '') as Told;
const shared = {
  host,
  authorities: () => Promise.resolve([ca]),
  credentials: () => Promise.resolve({ user, password }),
  clock: systemClock,
  random: () => 0,
};
const never = (): Promise<never> => Promise.reject(new Error('nothing is read here'));
const mailbox = new ImapMailbox({
  ...shared,
  port: imapPort,
  mailbox: 'INBOX',
  pollIntervalMs: 60_000,
  messageBytesMax: 1_048_576,
  readLetter: never,
  readHead: never,
});
const sender = new SmtpSender({ ...shared, port: smtpPort, tls: 'Implicit', address: user });
sender.start();
await mailbox.open(AbortSignal.timeout(30_000));
await sender.check(AbortSignal.timeout(30_000));
const waiting = mailbox.changed(AbortSignal.timeout(200)).catch(() => undefined);
await waiting;
await Promise.all([mailbox.close(), sender.close()]);
process.stdout.write(`${String(Math.round(performance.now()))}\n`);
process.on('exit', () => process.stdout.write(`${String(Math.round(performance.now()))}\n`));
