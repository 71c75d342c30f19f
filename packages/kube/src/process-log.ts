/**
 * The log of a process: lines of JSON on standard output. Each is written before the call returns, so that an exit loses none.
 */
import { pino, type DestinationStream } from 'pino';
import type { Clock } from '@retainer/contract/std/clock';
import type { Log, LogLevel } from '@retainer/contract/std/log';

interface ProcessLogOptions {
  readonly clock: Clock;
  /** Less urgent lines are dropped. */
  readonly level?: LogLevel;
  /** Standard output by default, written synchronously: a worker thread would cost memory, and lines when the process dies. */
  readonly destination?: DestinationStream;
}

export function processLog({ clock, level: least = 'info', destination = standardOutput() }: ProcessLogOptions): Log {
  const logger = pino(
    {
      level: least,
      // Kubernetes adds the process and the machine to each line.
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    destination,
  );
  return ({ level, message, ...fields }) => logger[level](fields, message);
}

function standardOutput(): DestinationStream {
  return pino.destination({ fd: process.stdout.fd, sync: true });
}
