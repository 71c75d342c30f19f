import { describe, expect, it } from 'vitest';
import { judgeSelfTest, namespaceKinds, selfTestScript } from './self-test.ts';

const host = { namespaces: Object.fromEntries(namespaceKinds.map((kind) => [kind, `${kind}:[1]`])) };

const good = new Map([
  ['uid', '65533'],
  ...namespaceKinds.map((kind) => [`ns.${kind}`, `${kind}:[2]`] as const),
  ['status.CapEff', '0000000000000000'],
  ['status.CapPrm', '0000000000000000'],
  ['status.NoNewPrivs', '1'],
  ['status.Seccomp', '2'],
  ['write./usr/retainer-probe', 'no'],
  ['write./etc/retainer-probe', 'no'],
  ['write./retainer-probe', 'no'],
  ['write./proc/sys/kernel/hostname', 'no'],
  ['connect', 'no'],
  ['work', 'yes'],
  ['language.bash', 'yes'],
  ['language.javascript', 'yes'],
  ['language.python', 'no'],
] as const);

function output(answers: ReadonlyMap<string, string>): string {
  return [...answers].map(([key, value]) => `${key}=${value}\n`).join('');
}

describe('judgeSelfTest', () => {
  it('accepts an isolated sandbox and names the languages that run', () => {
    expect(judgeSelfTest(output(good), host)).toEqual({ ok: true, value: ['bash', 'javascript'] });
  });

  const needed = [...good.keys()].filter((key) => key === 'language.bash' || !key.startsWith('language.'));

  it.each(needed)('fails without an answer to %s', (key) => {
    expect(judgeSelfTest(output(new Map([...good].filter(([name]) => name !== key))), host)).toMatchObject({
      ok: false,
    });
  });

  it.each([
    { key: 'uid', value: '0' },
    { key: 'ns.net', value: 'net:[1]' },
    { key: 'ns.pid', value: 'pid:[1]' },
    { key: 'status.CapEff', value: '0000000000200000' },
    { key: 'status.NoNewPrivs', value: '0' },
    { key: 'status.Seccomp', value: '0' },
    { key: 'write./usr/retainer-probe', value: 'yes' },
    { key: 'connect', value: 'yes' },
    { key: 'work', value: 'no' },
  ])('fails when $key is $value', ({ key, value }) => {
    expect(judgeSelfTest(output(new Map([...good, [key, value]])), host)).toMatchObject({ ok: false });
  });

  it('fails on nothing at all', () => {
    expect(judgeSelfTest('', host)).toMatchObject({ ok: false });
  });

  it('asks for everything that is judged', () => {
    const script = selfTestScript(4711, { bash: '/usr/bin/bash', javascript: '/usr/bin/node' });
    for (const key of ['write./usr/retainer-probe', 'connect', 'work', 'language.bash', 'language.javascript'])
      expect(script).toContain(`try ${key} `);
    expect(script).toContain('/dev/tcp/127.0.0.1/4711');
  });
});
