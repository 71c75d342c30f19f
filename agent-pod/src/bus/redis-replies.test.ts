import { describe, expect, it } from 'vitest';
import { pendingEntries, readEntries, unreadLost } from './redis-replies.ts';

const entry = { id: '1-0', to: 'Steerer', text: '{}', isTrimmed: false };
const fields = ['to', 'Steerer', 'message', '{}'];

describe('entries', () => {
  it.each([
    ['none in time', null, []],
    ['a stream without entries', [['key', []]], []],
    ['one', [['key', [['1-0', fields]]]], [entry]],
    ['fields in another order', [['key', [['1-0', ['x', 'to', ...fields.slice(2), 'to', 'Steerer']]]]], [entry]],
    ['one without our fields', [['key', [['1-0', ['a', 'b']]]]], [{ ...entry, to: undefined, text: undefined }]],
    [
      'one that was trimmed',
      [['key', [['1-0', null]]]],
      [{ id: '1-0', to: undefined, text: undefined, isTrimmed: true }],
    ],
  ])('of a read: %s', (_, reply, entries) => {
    expect(readEntries(reply)).toEqual(entries);
  });

  it('of a claim come with where to go on, and with how many are gone', () => {
    const reply = ['5-0', [['1-0', fields]], ['2-0', '3-0']];
    expect(pendingEntries(reply)).toEqual({ cursor: '5-0', entries: [entry], trimmed: 2 });
    expect(pendingEntries(['0-0', []])).toEqual({ cursor: '0-0', entries: [], trimmed: 0 });
  });
});

describe('what was trimmed unread', () => {
  const stream = (added: number, length: number): unknown => ['length', length, 'entries-added', added];
  const groups = (read: number | null): unknown => [
    ['name', 'other', 'entries-read', 0],
    ['name', 'Steerer', 'pending', 0, 'entries-read', read],
  ];

  it.each([
    ['nothing was trimmed', stream(10, 10), groups(3), 0],
    ['all that was trimmed was read', stream(100, 40), groups(60), 0],
    ['some was not read', stream(100, 40), groups(50), 10],
    ['a group that never read is not counted', stream(100, 40), groups(null), 0],
    ['a server that does not count', ['length', 40], groups(0), 0],
    ['a group that is not there', stream(100, 40), [], 0],
    ['no stream', undefined, undefined, 0],
  ])('%s', (_, streamReply, groupsReply, lost) => {
    expect(unreadLost(streamReply, groupsReply, 'Steerer')).toBe(lost);
  });
});
