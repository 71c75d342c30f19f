import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventLog, type OutputStream } from './event-log.ts';

const ended = { type: 'Ended', end: 'Exited', exitCode: 0, droppedBytes: 0, durationMs: 0 } as const;

function textOf(log: EventLog, stream: OutputStream): string {
  let text = '';
  for (let index = 0; ; index += 1) {
    const line = log.line(index);
    if (line === undefined) return text;
    const event = JSON.parse(line) as { type: string; stream?: string; base64?: string };
    if (event.type === 'Output' && event.stream === stream)
      text += Buffer.from(event.base64 ?? '', 'base64').toString('latin1');
  }
}

describe('EventLog', () => {
  it('keeps the head of each stream whatever the chunks, and counts the rest', () => {
    const chunk = fc.record({
      stream: fc.constantFrom('stdout' as const, 'stderr' as const),
      text: fc.string({ maxLength: 40 }),
    });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 30 }), fc.nat(100), (chunks, limit) => {
        const log = new EventLog(limit);
        log.start();
        for (const { stream, text } of chunks) log.add(stream, Buffer.from(text, 'latin1'));
        log.end(ended);
        let dropped = 0;
        for (const stream of ['stdout', 'stderr'] as const) {
          const whole = Buffer.from(
            chunks
              .filter((one) => one.stream === stream)
              .map(({ text }) => text)
              .join(''),
            'latin1',
          );
          expect(textOf(log, stream)).toBe(whole.subarray(0, limit).toString('latin1'));
          dropped += Math.max(0, whole.length - limit);
        }
        expect(log.droppedBytes).toBe(dropped);
      }),
    );
  });

  it('makes few events of many small chunks, and none after the end', () => {
    const log = new EventLog(1_000_000);
    log.start();
    for (let count = 0; count < 200_000; count += 1) log.add('stdout', Buffer.from('x'));
    log.end(ended);
    log.add('stdout', Buffer.from('late'));
    expect(log.line(6)).toBeUndefined();
    expect(textOf(log, 'stdout')).toBe('x'.repeat(200_000));
  });
});
