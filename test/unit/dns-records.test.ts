/** The look-ups of keys, asked of a name server that answers over UDP. */
import { createSocket, type Socket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnsRecords } from '@retainer/agent-pod/mail/letter/dns-records';
import { readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import { AGENT, bytes, fields, RECEIVED_AT_MS, WORK } from '../support/crafted-letters/crafted-letter.ts';
import { recordOf, signed } from '../support/crafted-letters/signing.ts';

/** Response, authoritative, recursion available; its error is the last digit. */
const ANSWERED = 0x8580;
const NO_SUCH_NAME = 3;
const SERVER_FAILED = 2;
const HEADER_BYTES = 12;

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = HEADER_BYTES; (query[at] ?? 0) > 0; at += (query[at] ?? 0) + 1) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  }
  return labels.join('.');
}

function answer(query: Buffer): Buffer {
  const name = nameIn(query);
  const record = recordOf(name);
  const question = query.subarray(HEADER_BYTES, HEADER_BYTES + name.length + 2 + 4);
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(
    record === undefined ? ANSWERED | (name.startsWith('broken.') ? SERVER_FAILED : NO_SUCH_NAME) : ANSWERED,
    2,
  );
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(record === undefined ? 0 : 1, 6);
  header.writeUInt32BE(0, 8);
  if (record === undefined) return Buffer.concat([header, question]);
  const strings = (record.match(/.{1,255}/g) ?? []).map((it) =>
    Buffer.concat([Buffer.from([it.length]), Buffer.from(it)]),
  );
  const data = Buffer.concat(strings);
  const resource = Buffer.alloc(12);
  resource.writeUInt16BE(0xc00c, 0);
  resource.writeUInt16BE(16, 2);
  resource.writeUInt16BE(1, 4);
  resource.writeUInt32BE(60, 6);
  resource.writeUInt16BE(data.length, 10);
  return Buffer.concat([header, question, resource, data]);
}

describe('records of keys', () => {
  let server: Socket;
  let address = '';

  beforeAll(async () => {
    server = createSocket('udp4');
    server.on('message', (query, { port, address: host }) => server.send(answer(query), port, host));
    await new Promise<void>((resolve) => {
      server.bind(0, '127.0.0.1', resolve);
    });
    address = `127.0.0.1:${server.address().port}`;
  });
  afterAll(() => {
    server.close();
  });

  it('authenticate a letter', async () => {
    const source = await signed(bytes([...fields(), '', WORK, '']), { selector: 'ed' });
    const arrival = {
      place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 },
      receivedAtMs: RECEIVED_AT_MS,
      sizeBytes: source.length,
    };
    const { head } = await readLetter(source, arrival, { ownAddress: AGENT, resolve: dnsRecords([address]) });
    expect(head.authentication).toMatchObject({ method: 'Dkim', isAligned: true });
  });

  it('that are missing are told apart from a server that fails', async () => {
    await expect(dnsRecords([address])('none.example', 'TXT')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(dnsRecords([address])('broken.example', 'TXT')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });
});
