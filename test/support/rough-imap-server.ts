/** A server that keeps to IMAP only as far as a login and an open mailbox, and then sends what nobody asked for. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Certified } from './certificates.ts';

export interface RoughImapServer {
  readonly port: number;
  /** Commands that it was sent, without their tags. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export interface RoughLetter {
  /** What it tells as the size. */
  readonly toldBytes: number;
  /** What it sends where the whole text is asked for, and where the head is. */
  readonly textBytes: number;
  readonly headBytes: number;
  /** It refuses to send anything of the letter. */
  readonly isDamaged?: true;
}

export async function startRoughImapServer(certified: Certified, letter: RoughLetter): Promise<RoughImapServer> {
  const asked: string[] = [];
  const sockets = new Set<TLSSocket>();
  const server = createServer(certified, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write('* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(text.slice(0, end)) ?? [];
        text = text.slice(end + 2);
        asked.push(command);
        const isRefused = letter.isDamaged === true && command.includes('FETCH');
        socket.write(isRefused ? `${tag} NO it is damaged\r\n` : `${answerTo(command, letter)}${tag} OK done\r\n`);
      }
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function answerTo(command: string, { toldBytes, textBytes, headBytes }: RoughLetter): string {
  const literal = (section: string, bytes: number): string =>
    `* 1 FETCH (UID 1 ${section} {${String(bytes)}}\r\n${'x'.repeat(bytes)})\r\n`;
  if (/^(SELECT|EXAMINE)/.test(command))
    return '* FLAGS (\\Seen)\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 7] it\r\n* OK [UIDNEXT 2] it\r\n';
  if (command.startsWith('LIST')) return '* LIST () "/" INBOX\r\n';
  if (command.startsWith('CAPABILITY')) return '* CAPABILITY IMAP4rev1 IDLE\r\n';
  if (command.includes('BODY.PEEK[HEADER]')) return literal('BODY[HEADER]<0>', headBytes);
  if (command.includes('BODY.PEEK[]')) return literal('BODY[]<0>', textBytes);
  if (command.includes('RFC822.SIZE'))
    return `* 1 FETCH (UID 1 RFC822.SIZE ${String(toldBytes)} INTERNALDATE "29-Nov-2026 23:00:00 +0000")\r\n`;
  return '';
}
