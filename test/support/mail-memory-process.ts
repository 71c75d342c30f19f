/** A process that reads the newest letter and prints what memory it had at its peak. */
import { systemClock } from '@retainer/contract/std/system-clock';
import { ImapMailbox } from '@retainer/agent-pod/mail/mailbox';
import type { Letter } from '@retainer/mind/parts/mail/letter';

interface Told {
  readonly host: string;
  readonly imapPort: number;
  readonly ca: string;
  readonly user: string;
  readonly password: string;
}

const { host, imapPort, ca, user, password } = JSON.parse(process.argv[2] ?? '') as Told;
const MEGABYTE = 1_048_576;
const signal = AbortSignal.timeout(60_000);
/** Of the whole process since its start, as Linux counts it. */
const peakMb = (): number => process.resourceUsage().maxRSS / 1_024;
const nowMb = (): number => process.memoryUsage.rss() / MEGABYTE;
let readBytes = 0;
const counting = (source: Uint8Array): Promise<Letter> => {
  readBytes = source.length;
  return Promise.resolve({} as Letter);
};

const idleMb = nowMb();
const mailbox = new ImapMailbox({
  host,
  port: imapPort,
  mailbox: 'INBOX',
  authorities: () => Promise.resolve([ca]),
  credentials: () => Promise.resolve({ user, password }),
  clock: systemClock,
  random: () => 0,
  pollIntervalMs: 60_000,
  messageBytesMax: 10 * MEGABYTE,
  readLetter: counting,
  readHead: counting,
});
await mailbox.open(signal);
const place = (await mailbox.list({ uid: 1, sinceMs: 0, max: 10_000 })).at(-1);
const [openMb, openPeakMb] = [nowMb(), peakMb()];
if (place !== undefined) await mailbox.read(place);
await mailbox.close();
// A peak from the start of the process is no letter's.
const grownMb = peakMb() > openPeakMb ? peakMb() - openMb : 0;
process.stdout.write(JSON.stringify({ idleMb, openMb, grownMb, readBytes }));
