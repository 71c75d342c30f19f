/** What counts as right of a command that a test types. */
import { describe, expect, it } from 'vitest';
import type { ClusterRow } from '../support/command-row.ts';
import { faultsOf, typeInto, withWords } from '../support/typed-command.ts';

const here = { cwd: '/', env: process.env, timeoutMs: 60_000 };

describe('a typed command', () => {
  it.each<{ name: string; line: string; row: Partial<ClusterRow>; isRight: boolean }>([
    { name: 'shows what it is printed for', line: 'echo well', row: {}, isRight: true },
    { name: 'shows something else', line: 'echo ill', row: {}, isRight: false },
    { name: 'shows it and fails', line: 'echo well; false', row: {}, isRight: false },
    { name: 'must fail, and does', line: 'echo well; false', row: { fails: true }, isRight: true },
    { name: 'must fail, and does not', line: 'echo well', row: { fails: true }, isRight: false },
    { name: 'must find nothing', line: 'true | grep x', row: { shows: 'Nothing', fails: true }, isRight: true },
    { name: 'finds what must not be', line: 'echo x | grep x', row: { shows: 'Nothing', fails: true }, isRight: false },
    { name: 'may find nothing', line: 'true | grep x', row: { fails: 'IfNothing' }, isRight: true },
    { name: 'may find nothing, and says why not', line: 'echo no; false', row: { fails: 'IfNothing' }, isRight: false },
    { name: 'is missing', line: 'no-such-program', row: { fails: true }, isRight: false },
    { name: 'fails in front of a pipe', line: 'false | echo well', row: {}, isRight: false },
  ])('that $name is right: $isRight', async ({ line, row, isRight }) => {
    const whole: ClusterRow = { how: 'Run', shows: /^well$/m, ...row };
    const faults = faultsOf(line, whole, await typeInto(here, line));
    expect(faults.length === 0).toBe(isRight);
  });

  it('has names in place of what pages and programs leave open', () => {
    const words = { NAME: 'ada', '<1>': 'lab', '…': '' };
    expect(withWords('get retainer-NAME-0 -n <1> -p X TEXT …', words)).toBe('get retainer-ada-0 -n lab -p X TEXT ');
  });
});
