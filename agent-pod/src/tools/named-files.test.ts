import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import type { Approval } from '@retainer/mind/gate/verdict';
import type { Standing } from '@retainer/mind/gate/standing';
import { sha256Hex } from '@retainer/contract/std/hash';
import { toolWorld, type ToolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { createRegistry } from '../parts/catalog.ts';
import { ownFacts, touchesNothing } from './plain-tool.ts';
import type { ToolDescriptor } from './tool.ts';

const idle = new AbortController().signal;
const DEPLOY = 'tools/deploy.sh';

type Files = Readonly<Record<string, string>>;

function put(world: ToolWorld, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(world.workspace, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(world.workspace, name), text);
  }
}

/** Runs an approved script, after a change of the workspace that nobody saw. @returns what came of it, and what was shown */
async function approved(script: string, files: Files, change: (world: ToolWorld) => void) {
  const approvals: Approval[] = [];
  const world = toolWorld({ approvals });
  put(world, files);
  symlinkSync(DEPLOY, path.join(world.workspace, 'link.sh'));
  symlinkSync('tools', path.join(world.workspace, 'linked'));
  const input = { script };
  const shown = await world.executor.standing('bash', input);
  const permit = world.permit('bash', input, { autonomous: true, approvalId: 'a' });
  approvals.push({
    requestId: 'a',
    argumentsDigest: permit.argumentsDigest,
    decision: 'Approve',
    by: 'ann',
    reason: 'read it',
    expiresAtMs: world.clock.nowMs() + 1,
    ...(shown === undefined ? {} : { standing: shown.sha256 }),
  });
  change(world);
  const { text } = await world.executor.execute(permit, idle);
  return { text, shown, ran: world.sandboxRequests.length };
}

const rewritten =
  (name: string) =>
  (world: ToolWorld): void =>
    put(world, { [name]: 'echo other' });

/** The files stand there when a person says yes; then the named one changes. */
const spelt: readonly (readonly [script: string, changed: string])[] = [
  ['sh tools/deploy.sh', DEPLOY],
  ['./tools/deploy.sh --now', DEPLOY],
  ['/workspace/tools/deploy.sh', DEPLOY],
  ['cd tools && sh deploy.sh', DEPLOY],
  ['cd tools; cd sub; . ./env', 'tools/sub/env'],
  [`sh "tools/deploy.sh"; sh 'tools/deploy.sh'`, DEPLOY],
  ['sh tools/"deploy".sh', DEPLOY],
  [String.raw`sh tools/with\ blank.sh`, 'tools/with blank.sh'],
  ['sh "tools/with blank.sh"', 'tools/with blank.sh'],
  ['runner --file=tools/deploy.sh', DEPLOY],
  ['curl -d @tools/deploy.sh x', DEPLOY],
  ['awk -f tools/deploy.sh < data.csv', 'data.csv'],
  ['sh tools/*.sh', DEPLOY],
  ['for f in tools/*; do sh "$f"; done', DEPLOY],
  ['source tools/deploy.sh', DEPLOY],
  ['. tools/deploy.sh', DEPLOY],
  ['D=tools; sh "$D/deploy.sh"', DEPLOY],
  ['NAME=deploy\nsh tools/${NAME}.sh', DEPLOY],
  ['A=too; B=ls/deploy.sh; sh "$A$B"', DEPLOY],
  [`node li"b.j"s`, 'lib.js'],
  ['sh tools/{deploy,other}.sh', DEPLOY],
  ['sh tools/$(echo deploy).sh', DEPLOY],
  ['find tools -name x -exec sh {} +', DEPLOY],
  ['tar xf tools/deploy.sh:x', DEPLOY],
  ['python3 -m pkg', 'pkg/__main__.py'],
  ['python3 -m pkg.mod', 'pkg/mod.py'],
  ['python3 -c "import pkg.mod"', 'pkg/mod.py'],
  [`node -e "require('./lib')"`, 'lib.js'],
  ['make all', 'Makefile'],
  ['sh tools/deploy.sh', 'tools/common.sh'],
  ['sh tools/deploy.sh', 'pkg/mod.py'],
  ['sh link.sh', DEPLOY],
  ['sh linked/deploy.sh', DEPLOY],
  ['sh $PWD/tools/deploy.sh', DEPLOY],
  ['sh "$(pwd)/tools/deploy.sh"', DEPLOY],
  ['sh ~/tools/deploy.sh', DEPLOY],
  ['xargs -n 1 sh < list.txt', DEPLOY],
  [`python3 -c "import os; os.system(os.path.join('tools', 'deploy.sh'))"`, DEPLOY],
  ['PATH=./tools:$PATH deploy.sh', DEPLOY],
  ['sh "$(printf "tools/%s.sh" deploy)"', DEPLOY],
  [`node "$(printf 'li%s.js' b)"`, 'lib.js'],
  ['sh "${X:-tools/deploy.sh}"', DEPLOY],
  ['sh "${X-tools/deploy.sh}"', DEPLOY],
  ['awk -ftools/deploy.sh', DEPLOY],
  ['sh tools/deploy.s[[:alpha:]]', DEPLOY],
  ['sh li{b,c{x,y}}.js', 'lib.js'],
  ['sh tools/$(echo $(echo deploy)).sh', DEPLOY],
  ['sh li$((1+1)).js', 'li2.js'],
  ['N=deploy; sh tools/$N.sh; N=x', DEPLOY],
  [String.raw`sh $'tools\x2fdeploy.sh'`, DEPLOY],
  [String.raw`sh $'\164ools/deploy.sh'`, DEPLOY],
  ['sh /proc/self/cwd/tools/deploy.sh', DEPLOY],
  ['sh ../workspace/tools/deploy.sh', DEPLOY],
  ['cd /; sh workspace/tools/deploy.sh', DEPLOY],
  ['cd "$(dirname tools/x)"; sh deploy.sh', DEPLOY],
  ['sh linked/*.sh', DEPLOY],
  ['sh link*/deploy.sh', DEPLOY],
  ['sh <<END\n. tools/deploy.sh\nEND', DEPLOY],
  ['ruby -e "load \'tools/#{x}.sh\'"', DEPLOY],
  [`sh ${'./'.repeat(1_500)}tools/deploy.sh`, DEPLOY],
  [`sh ${'tools/../'.repeat(300)}tools/deploy.sh`, DEPLOY],
  ['sh more.sh', 'tools/sub/env'],
  ['sh more.sh', 'pkg/__main__.py'],
  ['sh more.sh', 'data.csv'],
  ['sh more.sh', DEPLOY],
];

const files: Files = {
  [DEPLOY]: '. ./common.sh\npython3 -m pkg.mod\n',
  'tools/common.sh': 'echo one\n',
  'tools/with blank.sh': 'echo one\n',
  'tools/sub/env': 'A=1\n',
  'data.csv': 'a,b\n',
  'list.txt': 'tools/deploy.sh\n',
  'li2.js': '1\n',
  'more.sh': 'cd pkg; python __main__.py; cd ../tools/sub; . ./env; wc *.csv; sh linked/deploy.sh\n',
  'pkg/__main__.py': 'print(1)\n',
  'pkg/mod.py': 'print(1)\n',
  'lib.js': 'module.exports = 1\n',
  Makefile: 'all:\n\techo one\n',
  'other.txt': 'nobody names it\n',
};

describe('an approved program', () => {
  for (const [script, changed] of spelt)
    verifies('approvals:named-files', `does not run where ${changed} has changed: ${script}`, async () => {
      expect(await approved(script, files, () => undefined)).toMatchObject({ ran: 1 });
      expect(await approved(script, files, rewritten('other.txt'))).toMatchObject({ ran: 1 });
      const { text, ran, shown } = await approved(script, files, rewritten(changed));
      expect([ran, text.includes('(rule approval/changed)')]).toEqual([0, true]);
      expect(shown?.named?.shown.length).toBeGreaterThan(0);
    });

  verifies('approvals:named-files', 'does not run where a named file came to be, or is gone', async () => {
    for (const change of [
      (world: ToolWorld) => rmSync(path.join(world.workspace, DEPLOY)),
      (world: ToolWorld) => put(world, { 'tools/new.sh': 'echo new\n' }),
    ])
      expect(await approved('sh tools/deploy.sh; sh tools/new.sh', files, change)).toMatchObject({ ran: 0 });
  });

  verifies('approvals:named-files', 'does not run where a link that it names leads elsewhere', async () => {
    const elsewhere = (world: ToolWorld): void => {
      rmSync(path.join(world.workspace, 'linked'));
      symlinkSync('other', path.join(world.workspace, 'linked'));
    };
    expect(await approved('sh linked/deploy.sh', files, elsewhere)).toMatchObject({ ran: 0 });
  });

  verifies('approvals:named-files', 'runs where the bytes are the same, whenever they were written', async () => {
    const again = (world: ToolWorld): void => put(world, { [DEPLOY]: files[DEPLOY] ?? '' });
    expect(await approved('sh tools/deploy.sh', files, again)).toMatchObject({ ran: 1 });
  });
});

describe('what a person is shown', () => {
  const standing = async (tool: string, input: unknown, more: Files = {}): Promise<Standing | undefined> => {
    const world = toolWorld();
    put(world, { ...files, ...more });
    return world.executor.standing(tool, input);
  };

  verifies('approvals:named-files', 'is the path and the digest of each file that the words name', async () => {
    expect((await standing('bash', { script: 'sh tools/common.sh' }))?.named).toEqual({
      shown: [{ path: 'tools/common.sh', sha256: sha256Hex('echo one\n') }],
    });
    const read = await standing('run_code', { language: 'bash', script: 'wc', inputs: ['data.csv'] });
    expect(read?.named?.shown).toEqual([{ path: 'data.csv', sha256: sha256Hex('a,b\n') }]);
  });

  verifies('approvals:named-files', 'is bounded, and the digest is of all', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`many/${at}.sh`, `echo ${at}\n`]));
    const before = await standing('bash', { script: 'sh many/*.sh' }, many);
    expect([before?.named?.shown.length, before?.named?.more]).toEqual([12, 28]);
    const after = await standing('bash', { script: 'sh many/*.sh' }, { ...many, 'many/39.sh': 'echo other\n' });
    expect(after?.sha256).not.toBe(before?.sha256);
    const whole = await standing('bash', { script: 'grep -r x .' }, many);
    expect(whole?.named?.shown).toContainEqual({ path: './', sha256: expect.any(String) });
  });

  verifies('approvals:named-files', 'is what an argument of another tool names as a whole', async () => {
    const sendFile: ToolDescriptor<{ readonly file: string }> = {
      facts: { ...ownFacts, name: 'send_file', effectClass: 3, arguments: { file: 'Target' } },
      offer: () => ({
        description: 'Sends a file.',
        input: z.strictObject({ file: z.string() }),
        touches: touchesNothing,
        run: () => Promise.resolve({ isError: false, text: 'sent' }),
      }),
    };
    const world = toolWorld({ registry: createRegistry({ sandboxLanguages: [] }, [sendFile]) });
    put(world, files);
    symlinkSync('tools/deploy.sh', path.join(world.workspace, 'link.sh'));
    const shown = async (file: string): Promise<readonly string[] | undefined> =>
      (await world.executor.standing('send_file', { file }))?.named?.shown.map((it) => it.path);
    expect(await shown('/workspace/data.csv')).toEqual(['data.csv']);
    expect(await shown('tools/')).toEqual(['tools/']);
    expect(await shown('*.csv')).toEqual(['data.csv']);
    expect(await shown('link.sh')).toEqual(['link.sh', 'tools/deploy.sh']);
    for (const none of ['missing.csv', 'https://example.org/data.csv', 'see data.csv'])
      expect(await shown(none)).toBeUndefined();
  });

  verifies('approvals:named-files', 'is the whole workspace where there is too much to look for', async () => {
    const whole = { path: './', sha256: expect.any(String) };
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`many/ab${at}`, '']));
    const patterns = Array.from({ length: 500 }, (_, at) => `many/b*ab${at}`).join(' ');
    const texts = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`texts/${at}`, 'no name\n']));
    const change = (world: ToolWorld): void => put(world, { 'nobody/names/it': 'other' });
    for (const [script, there] of [
      [`wc ${patterns}`, many],
      ['sh texts/*', texts],
    ] as const)
      expect(await approved(script, there, change), script.slice(0, 20)).toMatchObject({ ran: 0 });
    expect((await standing('bash', { script: 'wc .' }))?.named?.shown.at(-1)).toEqual(whole);
  });

  verifies('approvals:named-files', 'goes by the metadata where hashing would take long', async () => {
    const large = (world: ToolWorld): void => {
      for (const name of ['large/a', 'large/b']) {
        put(world, { [name]: '' });
        truncateSync(path.join(world.workspace, name), 40 * 1024 * 1024);
      }
    };
    const world = toolWorld();
    large(world);
    const before = await world.executor.standing('bash', { script: 'wc large/a large/b' });
    expect((await world.executor.standing('bash', { script: 'wc large/a large/b' }))?.sha256).toBe(before?.sha256);
    const byContent = before?.named?.shown.map((it) => it.sha256 === sha256Hex(Buffer.alloc(40 * 1024 * 1024)));
    expect(byContent).toEqual([true, false]);
  });

  verifies('approvals:named-files', 'ends where links lead in a circle', async () => {
    const world = toolWorld();
    put(world, { 'a.sh': 'echo one\n' });
    for (const [name, target] of [
      ['l', 'l'],
      ['m', 'm/x'],
      ['n', '.'],
    ] as const)
      symlinkSync(target, path.join(world.workspace, name));
    const script = 'sh l/* m/*.sh */*/*/*/a.sh n/n/n/n/n/n/n/n/n/n/a.sh n/a*';
    const paths = (await world.executor.standing('bash', { script }))?.named?.shown.map((it) => it.path);
    expect(paths).toEqual(expect.arrayContaining(['a.sh', 'l', 'm', 'n']));
  });

  verifies(
    'approvals:named-files',
    'is nothing of a text that is only written, and of no call that changes nothing',
    async () => {
      const content = 'run tools/deploy.sh';
      expect(await standing('write_file', { path: 'new.md', content })).toBeUndefined();
      expect(await standing('write_file', { path: 'new.md', content: 'other.txt' })).toBeUndefined();
      expect(await standing('write_file', { path: 'data.csv', content })).toEqual({ sha256: sha256Hex('a,b\n') });
      expect(await standing('read_file', { path: 'data.csv' })).toBeUndefined();
      expect(await standing('bash', { script: 'echo nothing here' })).toBeUndefined();
    },
  );
});
