/** Programs of one run after another, in a real sandbox: what a tainted one leaves, the next clean one does not believe. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Permit } from '@retainer/agent-pod/ports/tool';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import { afterAll, beforeAll, expect } from 'vitest';
import { createRegistry } from '../../agent-pod/src/parts/catalog.ts';
import { toolWorld, type ToolWorld } from '../support/tool-world.ts';
import { verifies } from '../verifies.ts';
import { openFixture, type Fixture } from './sandbox-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

type Reading = Permit['read'];

const clean: Reading = { items: [], addresses: [], instructions: [] };
const tainted: Reading = {
  ...clean,
  items: [{ recordId: 'r', label: { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' }, text: 'page' }],
};

let calls = 0;

function realWorld(): ToolWorld {
  const registry = createRegistry({ sandboxLanguages: fixture.languages });
  return toolWorld({ registry, script: (request, signal) => fixture.sandbox.run(request, signal) });
}

function call(world: ToolWorld, tool: string, input: object, read: Reading = clean): Promise<ToolOutcome> {
  calls += 1;
  const parts = { callId: `call-${calls}`, runId: `run-${calls}`, read, autonomous: true };
  return world.executor.execute(world.permit(tool, input, parts), new AbortController().signal);
}

const python = (script: string, inputs?: readonly string[]): object => ({
  language: 'python',
  script,
  ...(inputs === undefined ? {} : { inputs }),
});

verifies('provenance:programs-see-what-they-may-believe', 'code that a tainted Task planted does nothing', async () => {
  const world = realWorld();
  const evil = 'import builtins\\nbuiltins.sum = lambda numbers: 999999\\n';
  const plant = `for name in ["sitecustomize.py", "random.py", "helpers.py"]: open(name, "w").write("${evil}")`;
  expect((await call(world, 'run_code', python(plant), tainted)).files).toHaveLength(3);
  const sum = await call(world, 'run_code', python('import random, os\nprint(sum([1, 2, 3]), os.listdir("."))'));
  expect(sum.text).toContain('6 []');
  expect(sum.text).toContain('3 files');
  expect(sum.label).toMatchObject({ trust: 'Trusted' });
});

verifies('provenance:programs-see-what-they-may-believe', 'what people expect is done with no question', async () => {
  const world = realWorld();
  await call(world, 'write_file', { path: 'prices.py', content: 'RATE = 7\n' });
  const imported = await call(world, 'run_code', python('import prices\nprint(prices.RATE)'));
  expect(imported).toMatchObject({ status: 'Ok', label: { trust: 'Trusted' } });
  expect(imported.text).toContain('7');

  await call(world, 'write_file', { path: 'saved.csv', content: '1\n2\n3\n' }, tainted);
  writeFileSync(path.join(world.workspace, 'copied.csv'), '4\n');
  const analyse = 'print(sum(int(line) for name in ["saved.csv", "copied.csv"] for line in open(name)))';
  const analysed = await call(world, 'run_code', python(analyse, ['*.csv']));
  expect(analysed).toMatchObject({ status: 'Ok', label: { trust: 'Untrusted' } });
  expect(analysed.text).toContain('10');
  const named = await call(world, 'run_code', python(analyse), { ...clean, asked: 'Sum saved.csv and copied.csv' });
  expect(named.text).toContain('10');

  const edit = { script: 'sed -i s/7/8/ prices.py; echo changed >> copied.csv; true' };
  const edited = await call(world, 'bash', edit, { ...clean, asked: 'Set the rate in prices.py to 8' });
  expect(readFileSync(path.join(world.workspace, 'prices.py'), 'utf8')).toBe('RATE = 8\n');
  expect(edited).toMatchObject({ status: 'Ok', text: expect.stringContaining('NOT WRITTEN') });
  expect(readFileSync(path.join(world.workspace, 'copied.csv'), 'utf8')).toBe('4\n');
});
