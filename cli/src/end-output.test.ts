import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { inTemporaryDirectory } from '../../test/support/agents.ts';
import { retainerHere } from '../../test/support/retainer-here.ts';
import { testSeed } from '../../test/support/seed.ts';
import { Seeded } from '../../test/support/seeded.ts';
import { actingCommands, endOutput } from './end-output.ts';
import { StandardStream } from './standard-stream.ts';

type Place = 'fine' | 'full' | 'closed' | 'closes later';
const places: readonly Place[] = ['fine', 'full', 'closed', 'closes later'];

/** A pipe whose reader goes away after so many writes. */
function pipe(writes: number): { readonly stream: NodeJS.WriteStream; readonly read: () => string } {
  let left = writes;
  let read = '';
  const stream = new Writable({
    autoDestroy: false,
    write: (chunk: Buffer, _encoding, done) => {
      left -= 1;
      if (left < 0) return done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      read += chunk.toString();
      done();
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, read: () => read };
}

/** Calls with a stream, and says what a reader got of it. */
async function withStream<T>(
  place: Place,
  work: (stream: StandardStream, read: () => string) => Promise<T>,
): Promise<T> {
  if (place !== 'full') {
    const { stream, read } = pipe(place === 'fine' ? Number.POSITIVE_INFINITY : place === 'closed' ? 0 : 1);
    // No descriptor of a file: the stream is asked.
    return work(new StandardStream(-1, () => stream), read);
  }
  const fd = openSync('/dev/full', 'w');
  try {
    return await work(new StandardStream(fd, () => new PassThrough() as unknown as NodeJS.WriteStream), () => '');
  } finally {
    closeSync(fd);
  }
}

describe('the end of a command', () => {
  const commands = [
    { words: 'run', hasArguments: false, isForPeople: true, acts: true },
    { words: 'run', hasArguments: false, isForPeople: false, acts: true },
    { words: 'explain', hasArguments: true, isForPeople: true, acts: false },
    { words: 'approve', hasArguments: false, isForPeople: true, acts: false },
    { words: 'approve', hasArguments: true, isForPeople: true, acts: true },
  ];
  const rows = commands.flatMap((command) =>
    places.flatMap((outPlace) =>
      places.flatMap((errPlace) =>
        [0, 4].map((code) => ({
          ...{ command, outPlace, errPlace, code },
          isCodeChanged: code === 0 && !command.acts && outPlace === 'full',
          tellsOut: errPlace === 'fine' && (outPlace === 'full' || (command.acts && outPlace !== 'fine')),
          tellsErr: outPlace === 'fine' && command.acts && command.isForPeople && errPlace !== 'fine',
        })),
      ),
    ),
  );

  it.each(rows)(
    '$command.words, $outPlace, $errPlace, $code',
    async ({ command, outPlace, errPlace, code, ...row }) => {
      await withStream(outPlace, (out, readOut) =>
        withStream(errPlace, async (err, readErr) => {
          for (const stream of [out, err]) for (const text of ['one\n', 'two\n']) stream.write(text);
          expect(await endOutput({ ...command, code }, { out, err })).toBe(row.isCodeChanged ? 74 : code);
          expect(readErr().includes('standard output could not')).toBe(row.tellsOut);
          expect(readOut().includes('standard error could not')).toBe(row.tellsErr);
        }),
      );
    },
  );

  it.each([...actingCommands.keys()])('knows a command that there is: %s', async (words) => {
    const { code, text } = await retainerHere(...words.split(' '), '--help');
    expect([code, text]).toEqual([0, expect.stringContaining(`Usage: retainer ${words} `)]);
  });
});

describe('a standard stream', () => {
  it('counts every line that was not written, wherever its reader goes away', async () => {
    const random = new Seeded(testSeed);
    for (let round = 0; round < 200; round += 1) {
      const texts = Array.from({ length: random.below(12) }, (_, at) => `${at}\n`.repeat(1 + random.below(3)));
      const writes = random.below(12);
      const { stream, read } = pipe(writes);
      const standard = new StandardStream(-1, () => stream);
      for (const text of texts) standard.write(text);
      await standard.flushed();
      const linesOf = (all: readonly string[]): number => all.join('').split('\n').length - 1;
      expect(read()).toBe(texts.slice(0, writes).join(''));
      expect(standard.loss?.lines ?? 0).toBe(linesOf(texts.slice(writes)));
    }
  });

  it('writes a file whole', () =>
    inTemporaryDirectory((directory) => {
      const file = join(directory, 'out');
      const fd = openSync(file, 'w');
      const text = 'é'.repeat(3_000_000);
      new StandardStream(fd, () => new PassThrough() as unknown as NodeJS.WriteStream).write(text);
      closeSync(fd);
      expect(readFileSync(file, 'utf8')).toBe(text);
      return Promise.resolve();
    }));
});
