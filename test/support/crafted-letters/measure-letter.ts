/** A process that reads one crafted letter and prints what that cost, as JSON: milliseconds of processor, and bytes of memory at most. */
import { readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import { AGENT, bytes, fields, RECEIVED_AT_MS, SERVICE, WORK } from './crafted-letter.ts';
import { mimeLetters } from './mime-letters.ts';
import { craftedDns } from './signing.ts';

const KIBIBYTE = 1024;
const [, , wanted = ''] = process.argv;
const letter = mimeLetters().find(({ name }) => name === wanted);
if (letter === undefined) throw new Error(`no letter ${wanted}`);

const settings = {
  ownAddress: AGENT,
  ...(letter.isServiceTrusted ? { trustedAuthenticationService: SERVICE } : {}),
  resolve: craftedDns,
};
const read = (source: Uint8Array): Promise<unknown> =>
  readLetter(
    source,
    { place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 }, receivedAtMs: RECEIVED_AT_MS, sizeBytes: source.length },
    settings,
  );

// The libraries are loaded once, not for each letter.
await read(bytes([...fields('Content-Type: text/html'), '', `<p>${WORK}</p>`]));
const source = letter.source();
globalThis.gc?.();
const before = process.memoryUsage.rss();
const cpu = process.cpuUsage();
await read(source);
const { user, system } = process.cpuUsage(cpu);
const grownBytes = Math.max(0, process.resourceUsage().maxRSS * KIBIBYTE - before);
process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, grownBytes }));
