/**
 * Keeps a processor busy, and now and then the disk. Ends with its standard input: however its parent ended, the pipe between them
 * is shut then.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Milliseconds between two looks at the pipe. */
const SPIN_MS = 20;
/** As often as a journal under work is written. */
const WRITE_EVERY_MS = 200;
const BYTES = Buffer.alloc(64 * 1024, 'x');

/** Where the tests have theirs: the same disk. */
const directory = mkdtempSync(join(tmpdir(), 'retainer-load-'));

function end() {
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}

function writeDown() {
  const file = openSync(join(directory, 'written'), 'w');
  writeSync(file, BYTES);
  fsyncSync(file);
  closeSync(file);
}

function work(writtenMs) {
  const startMs = performance.now();
  while (performance.now() - startMs < SPIN_MS);
  const isDue = startMs - writtenMs >= WRITE_EVERY_MS;
  if (isDue) writeDown();
  setImmediate(work, isDue ? startMs : writtenMs);
}

process.stdin.on('end', end).on('error', end).resume();
process.on('SIGTERM', end);
// A terminal sends it to all of its programs; the parent tells when it has ended the tests.
process.on('SIGINT', () => undefined);
work(0);
