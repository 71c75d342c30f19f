import { describe, expect, it } from 'vitest';
import { parseMessage, renderMessage, type CommitNote } from './commit-message.ts';

const note: CommitNote = {
  agent: 'default/ada',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  cause: 'RunEnded',
  runs: ['count-a1b2c3', 'add-d4e5f6'],
  heads: [{ store: 'cycle', seq: 12, hash: 'a'.repeat(64), epoch: 3 }],
};

describe('the message of a commit', () => {
  it('is read back as it was written', () => {
    expect(parseMessage(renderMessage(note))).toEqual(note);
  });

  it('names the last twenty runs and counts the others', () => {
    const runs = Array.from({ length: 25 }, (_, index) => `run-${index}`);
    const message = renderMessage({ ...note, runs });
    expect(message).toContain('Earlier-Runs: 5\n');
    expect(parseMessage(message)?.runs).toEqual(runs.slice(5));
  });

  it.each(['Merge branch main', 'Record of default/ada at noon\n\nTime: noon\nCause: RunEnded\n', ''])(
    'of somebody else is none: %j',
    (message) => expect(parseMessage(message)).toBeUndefined(),
  );
});
