import { describe, expect, it } from 'vitest';
import { helpText, parseCommand } from './auditor-options.ts';

describe('the command line of the auditor', () => {
  it('is understood', () => {
    const parsed = parseCommand([
      '--journal',
      'j',
      '--own',
      'o',
      '--bus',
      's',
      '--look-seconds',
      '3',
      '--port',
      '9465',
    ]);
    expect(parsed).toEqual({
      ok: true,
      value: {
        type: 'Audit',
        options: {
          journalDirectory: 'j',
          ownDirectory: 'o',
          busSocket: 's',
          characterFiles: [],
          once: false,
          lookEveryMs: 3000,
          metricsFile: undefined,
          telling: undefined,
          port: 9465,
          listenAll: false,
          setAside: undefined,
        },
      },
    });
  });

  it('lets a named person acknowledge a gap', () => {
    const argv = ['--journal', 'j', '--own', 'o', '--set-aside', 'cycle/21', '--by', 'ada', '--reason', 'r'];
    expect(parseCommand(argv)).toMatchObject({
      ok: true,
      value: { options: { setAside: { store: 'cycle/21', by: 'ada', reason: 'r' } } },
    });
  });

  it.each([
    { argv: [], says: '--journal' },
    { argv: ['--journal', 'j'], says: '--own' },
    { argv: ['--journal', 'j', '--own', 'o', '--look-seconds', '6'], says: '1 to 5' },
    { argv: ['--journal', 'j', '--own', 'o', '--look-seconds', '1e0'], says: '1 to 5' },
    { argv: ['--journal', 'j', '--own', 'o', '--port', '0'], says: '--port' },
    { argv: ['--journal', 'j', '--bus', 's', '--once'], says: '--bus' },
    { argv: ['--journal', 'j', '--own', 'o', '--listen-all'], says: '--port' },
    { argv: ['--journal', 'j', '--own', 'o', '--set-aside', 'alpha'], says: '--reason' },
    { argv: ['--journal', 'j', '--once', '--set-aside', 'a', '--reason', 'r'], says: '--own' },
    { argv: ['--journal', 'j', '--own', 'o', '--set-aside', 'a/7', '--reason', 'r'], says: '--by' },
    {
      argv: ['--journal', 'j', '--own', 'o', '--set-aside', 'a/b', '--by', 'ada', '--reason', 'r'],
      says: 'the place of a gap',
    },
    { argv: ['--journal', 'j', '--own', 'o', '--tell', 'f'], says: '--life' },
    { argv: ['--journal', 'j', '--once', '--tell', 'f', '--life', 'l'], says: '--own' },
    { argv: ['--journal', 'j', '--own', 'o', '--unknown'], says: '--unknown' },
  ])('is refused with what is wrong: $argv', ({ argv, says }) => {
    expect(parseCommand(argv)).toEqual({ ok: false, error: expect.stringContaining(says) });
  });

  it('has a help that names every option', () => {
    expect(parseCommand(['--help'])).toEqual({ ok: true, value: { type: 'Help' } });
    for (const option of [
      '--journal',
      '--own',
      '--bus',
      '--character',
      '--once',
      '--look-seconds',
      '--metrics-file',
      '--tell',
      '--life',
      '--port',
      '--listen-all',
      '--set-aside',
      '--reason',
      '--by',
    ])
      expect(helpText).toContain(option);
  });
});
