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
          port: 9465,
          listenAll: false,
          setAside: undefined,
        },
      },
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
      '--port',
      '--listen-all',
      '--set-aside',
      '--reason',
    ])
      expect(helpText).toContain(option);
  });
});
