/** Follows the socket on which an agent's process shows its bus. Writes nothing and reconnects until aborted. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Clock } from '@retainer/contract/std/clock';
import { parseJson } from '@retainer/contract/std/parse-json';
import { TAP_LINE_CHARS_MAX, TapLine } from '@retainer/contract/wire/bus/tap';
import type { BusWatch } from './message-audit.ts';

/** A starting agent opens its socket within seconds and keeps its messages for us until then. */
const RECONNECT_MS = 500;

export interface TapFeedOptions {
  readonly path: string;
  readonly watch: BusWatch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Resolves when the signal is aborted. */
export async function followTap({ path, watch, clock, signal }: TapFeedOptions): Promise<void> {
  while (!signal.aborted) {
    const socket = connect(path);
    const abort = (): void => void socket.destroy();
    signal.addEventListener('abort', abort, { once: true });
    await readTap(socket, watch);
    signal.removeEventListener('abort', abort);
    // An aborted sleep rejects; the loop's condition ends it.
    await clock.sleep(RECONNECT_MS, signal).catch(() => undefined);
  }
}

/** Resolves when the connection ends; never rejects. */
async function readTap(socket: Socket, watch: BusWatch): Promise<void> {
  let rest = '';
  let isGreeted = false;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) isGreeted = take(line, watch) || isGreeted;
    if (rest.length > TAP_LINE_CHARS_MAX) socket.destroy();
  });
  // The close event follows every error.
  socket.on('error', () => undefined);
  await once(socket, 'close').catch(() => undefined);
  if (isGreeted) watch.away();
}

/** @returns  whether it is a greeting */
function take(line: string, watch: BusWatch): boolean {
  const parsed = TapLine.safeParse(parseJson(line));
  if (!parsed.success) {
    watch.garbage('NotALine');
    return false;
  }
  if (parsed.data.line === 'Shown') {
    watch.shown(parsed.data.number, parsed.data.message);
    return false;
  }
  watch.greeted(parsed.data);
  return true;
}
