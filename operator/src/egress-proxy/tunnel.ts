/** Joins two sockets until one of them ends or a limit is reached. */
import type { Socket } from 'node:net';
import type { Clock } from '@retainer/contract/std/clock';

export type TunnelEnd = 'Closed' | 'ByteLimit' | 'TimeLimit' | 'Idle' | 'Drained';

export interface TunnelBounds {
  /** In each direction. */
  readonly bytes: number;
  readonly tunnelMs: number;
  readonly idleMs: number;
}

export interface TunnelReport {
  readonly endedBy: TunnelEnd;
  /** From the client. */
  readonly bytesOut: number;
  /** To the client. */
  readonly bytesIn: number;
}

export interface TunnelParts {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Bytes that the client sent before the answer. */
  readonly head: Buffer;
  readonly bounds: TunnelBounds;
  readonly clock: Clock;
  /** Cuts the tunnel. */
  readonly signal: AbortSignal;
}

/** Resolves when both sockets are closed; never rejects. Does not forward the chunk that exceeds a limit. */
export async function joinSockets(parts: TunnelParts): Promise<TunnelReport> {
  const tunnel = new Tunnel(parts);
  return tunnel.run();
}

class Tunnel {
  readonly #parts: TunnelParts;
  readonly #over = new AbortController();
  #endedBy: TunnelEnd = 'Closed';
  #bytesOut = 0;
  #bytesIn = 0;
  #lastMs = 0;

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  async run(): Promise<TunnelReport> {
    const { client, upstream, head, signal } = this.#parts;
    this.#lastMs = this.#parts.clock.monotonicMs();
    const cut = (): void => this.#end('Drained');
    signal.addEventListener('abort', cut, { once: true });
    const closed = Promise.all([this.#untilClosed(client), this.#untilClosed(upstream)]);
    this.#forward(client, upstream, (bytes) => (this.#bytesOut += bytes));
    this.#forward(upstream, client, (bytes) => (this.#bytesIn += bytes));
    if (head.length > 0) client.unshift(head);
    if (signal.aborted) cut();
    void this.#watch();
    await closed;
    signal.removeEventListener('abort', cut);
    this.#over.abort();
    return { endedBy: this.#endedBy, bytesOut: this.#bytesOut, bytesIn: this.#bytesIn };
  }

  #forward(from: Socket, to: Socket, count: (bytes: number) => number): void {
    from.on('data', (chunk: Buffer) => {
      this.#lastMs = this.#parts.clock.monotonicMs();
      if (count(chunk.length) > this.#parts.bounds.bytes) this.#end('ByteLimit');
      else if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.once('end', () => to.end());
  }

  /** A socket that breaks or closes ends the other one too. */
  #untilClosed(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    return new Promise((resolve) => {
      const close = (): void => {
        this.#parts.client.destroySoon();
        this.#parts.upstream.destroySoon();
        resolve();
      };
      if (socket.closed) close();
      else socket.once('close', close);
    });
  }

  async #watch(): Promise<void> {
    const { clock, bounds } = this.#parts;
    const startMs = clock.monotonicMs();
    while (!this.#over.signal.aborted) {
      const nowMs = clock.monotonicMs();
      const limitMs = startMs + bounds.tunnelMs;
      const idleMs = this.#lastMs + bounds.idleMs;
      if (nowMs >= limitMs) return this.#end('TimeLimit');
      if (nowMs >= idleMs) return this.#end('Idle');
      await clock.sleep(Math.min(limitMs, idleMs) - nowMs, this.#over.signal).catch(() => undefined);
    }
  }

  #end(by: TunnelEnd): void {
    if (this.#over.signal.aborted) return;
    this.#endedBy = by;
    this.#over.abort();
    this.#parts.client.destroy();
    this.#parts.upstream.destroy();
  }
}
