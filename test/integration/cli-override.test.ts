/** A refusal, its appeal, and the Task by which a principal overrules it: the real program on real records. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { retainer } from '../support/retainer-command.ts';
import { oneStepRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');
const data = join(root.path, 'data');
const again = join(manifests, 'again.json');

const objects = `
apiVersion: retainer.dev/v1alpha1
kind: CharacterSpec
metadata: {name: strict}
spec:
  persona: A test.
  virtues: []
  highestEndeavour: [{id: truth, description: Tell the truth., level: EthicalMoral, operator: Required}]
  gatePolicies: {input: {rules: [{id: swords, pattern: sword, verdict: Reject, description: No swords., reason: No swords.}]}}
---
apiVersion: retainer.dev/v1alpha1
kind: Agent
metadata: {name: ada}
spec:
  characterRef: {name: strict}
  models: {provider: Scripted, script: script.yaml}
---
apiVersion: retainer.dev/v1alpha1
kind: Task
metadata: {name: museum}
spec: {agentRef: {name: ada}, intent: Write of the sword in the museum.}
`;

const script = `
version: 1
rules:${oneStepRule}
  - name: done
    answer: {text: It is a long one.}
`;

beforeAll(async () => {
  await mkdir(manifests);
  await writeFile(join(manifests, 'all.yaml'), objects);
  await writeFile(join(manifests, 'script.yaml'), script);
});
afterAll(() => root.remove());

verifies(
  'approvals:override-by-command',
  'is told, printed, and let through as it is, and as nothing else',
  async () => {
    const refused = await retainer('run', '-f', manifests, '--data', data);
    expect(refused.stdout).toMatch(/REFUSED {2}museum/);
    expect(refused.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'retainer override museum -f MANIFEST --rule input-rules/swords',
    );

    const reason = 'it is an exhibit';
    const other = await retainer(
      'override',
      'museum',
      '-f',
      manifests,
      '--data',
      data,
      '--reason',
      reason,
      '--rule',
      'x',
    );
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was refused by input-rules/swords, not by x'),
    });

    const printed = await retainer(
      'override',
      'museum',
      '-f',
      manifests,
      '--data',
      data,
      '--reason',
      reason,
      '--by',
      'ada',
    );
    expect(printed.code).toBe(0);
    await writeFile(
      join(manifests, 'other.json'),
      printed.stdout.replace('museum-again', 'other').replace('museum.', 'hall.'),
    );
    await writeFile(again, printed.stdout);
    const overruled = await retainer('run', '-f', manifests, '--data', data);
    expect(overruled.stdout).toMatch(/SUCCEEDED {2}museum-again/);
    expect(overruled.stdout).toMatch(/REFUSED {2}other/);
    expect((await retainer('explain', 'museum-again', '--data', data)).stdout).toContain(
      'ada overruled input-rules/swords, which refused museum: it is an exhibit',
    );
    expect((await retainer('replay', 'museum-again', '--data', data)).code).toBe(0);

    await writeFile(join(manifests, 'third.json'), printed.stdout.replace('museum-again', 'third'));
    const spent = await retainer('run', '-f', manifests, '--data', data);
    expect(spent.stdout).toMatch(/REFUSED {2}third/);
    expect(spent.stderr).toMatch(/third: its override of input-rules\/swords is spent, run museum-again-\S+ had it/);
    expect((await retainer('replay', 'third', '--data', data)).code).toBe(0);
  },
);
