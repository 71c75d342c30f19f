/**
 * A journal in a process of its own, to be killed, stopped or failed from outside. One line of output per thing that happened.
 *
 *   journal-child.ts DIRECTORY append FIRST COUNT   appends records numbered from FIRST, by eight at a time: `ready EPOCH`,
 *                                                   `ack N SEQ` for each, then `done`; or `degraded CAUSE` with exit code 70
 *   journal-child.ts DIRECTORY append-early FIRST COUNT   the planted fault: says `ack N 0` before it has appended
 *   journal-child.ts DIRECTORY obey                 `try` on standard input opens (`writer EPOCH` or `held PID`), `append N`
 *                                                   appends one record (`ack N SEQ`), `close` closes (`closed`)
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Journal } from '@retainer/journal/journal';
import { defineStores, LockHeldError, openJournal } from '@retainer/journal/open-journal';
import { systemClock } from '@retainer/contract/std/system-clock';

const stores = defineStores([
  {
    name: 'deeds',
    durability: 'durable',
    kinds: { Deed: { version: 1, schema: z.object({ n: z.int(), text: z.string() }) } },
  },
]);

const [directory = '', command, first = '0', count = '0'] = process.argv.slice(2);

/** Distinct, so that a parent can tell declared degradation from a crash. */
const degradedExitCode = 70;
const appenders = 8;

/** Written at once, so that what was said before a kill was said; a full pipe is waited for. */
function say(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') throw error;
    }
  }
}

function open(): Promise<Journal> {
  return openJournal({ directory, stores, agentUid: 'agent-1', clock: systemClock, limits: { ballastBytes: 65_536 } });
}

async function appendOne(journal: Journal, n: number): Promise<void> {
  if (command === 'append-early') say(`ack ${n} 0`);
  const text = 'x'.repeat(300 + ((n * 7919) % 3700));
  const [record] = await journal.append([{ store: 'deeds', kind: 'Deed', principal: 'agent', payload: { n, text } }]);
  if (command !== 'append-early') say(`ack ${n} ${record?.seq}`);
}

async function appendMany(): Promise<void> {
  const journal = await open();
  say(`ready ${journal.epoch}`);
  let next = Number(first);
  const end = next + Number(count);
  const worker = async (): Promise<void> => {
    while (next < end) {
      const n = next;
      next += 1;
      await appendOne(journal, n);
    }
  };
  try {
    await Promise.all(Array.from({ length: appenders }, worker));
    await journal.close();
    say('done');
  } catch {
    say(`degraded ${journal.modeCause}`);
    process.exitCode = degradedExitCode;
    await journal.close();
  }
}

async function obey(): Promise<void> {
  let journal: Journal | undefined;
  say('here');
  for await (const line of createInterface(process.stdin)) {
    const [word, n] = line.split(' ');
    if (word === 'try') {
      try {
        journal = await open();
        say(`writer ${journal.epoch}`);
      } catch (error) {
        say(error instanceof LockHeldError ? `held ${error.holderPid}` : `failed ${String(error)}`);
      }
    } else if (word === 'append' && journal !== undefined) await appendOne(journal, Number(n));
    else if (word === 'close') {
      await journal?.close();
      journal = undefined;
      say('closed');
    }
  }
}

try {
  await (command === 'obey' ? obey() : appendMany());
} catch (error) {
  say(`failed ${String(error)}`);
  process.exitCode = degradedExitCode;
}
