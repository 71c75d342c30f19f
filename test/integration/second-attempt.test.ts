/** A model that takes one row of a column for its total, and says yes to itself: the real program, a real shell, and replay. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAll, retainer, type Ended } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');
const data = join(root.path, 'data');

const agentManifest = (selfConsistency: string): string => `
apiVersion: retainer.dev/v1alpha1
kind: CharacterSpec
metadata: {name: careful}
spec:
  persona: A careful analyst.
  virtues: [{name: Honesty, expressions: [Says what happened.]}]
  highestEndeavour: [{id: truth, description: Tell the truth., level: EthicalMoral, operator: Required}]
---
apiVersion: retainer.dev/v1alpha1
kind: Agent
metadata: {name: ada}
spec:
  characterRef: {name: careful}
  models: {provider: Scripted, script: script.yaml}
  workspace: {seeds: [{configMapRef: {name: numbers}, directory: data}]}
  control: {selfConsistency: ${selfConsistency}, maxReplans: 0}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: numbers}
data:
  sales.csv: |
    amount
    1250.40
    980.00
    3554.60
`;

const taskManifest = (name: string, intent: string): string => `
---
apiVersion: retainer.dev/v1alpha1
kind: Task
metadata: {name: ${name}}
spec:
  agentRef: {name: ada}
  intent: ${intent} What is the total of the amounts in data/sales.csv?
  successCriteria: [{text: The total is told.}]
`;

const ROW = `awk 'NR==2 {sum=$1} END {print sum}' data/sales.csv`;
const SUM = `awk 'NR>1 {sum+=$1} END {printf "%.2f\\n", sum}' data/sales.csv`;
/** A script answers the same request alike, so its program counts how often it ran. */
const counting = (name: string, first: string, second: string, later: string): string =>
  `echo x >> tries-${name}\ncase $(wc -l < tries-${name}) in 1) ${first};; 2) ${second};; *) ${later};; esac`;

/** By the name of its Task: what it says first, and the scripts of its attempts. */
const ways: readonly (readonly [name: string, intent: string, script: string])[] = [
  ['right', 'Rightly.', SUM],
  ['settled', 'At last.', counting('settled', ROW, SUM, SUM)],
  ['never', 'Never.', counting('never', ROW, SUM, 'echo $(($(wc -l < tries-never) * 1111))')],
];

const workRule = ([name, intent, script]: (typeof ways)[number]): string => `
  - name: work of ${name}
    when: {role: executor, task: '${intent}', results: [{min: 0, max: 0}]}
    answer: {calls: [{tool: bash, input: {script: ${JSON.stringify(script)}}}]}`;

const scriptText = String.raw`version: 1
rules:
  - name: one step
    when: {role: perceiver}
    answer: {text: '<perception><task slug="total" shape="SingleStep"><intent>Tell the total of the amounts.</intent></task></perception>'}
${ways.map(workRule).join('')}
  - name: the total
    when: {role: executor, last: {tool: bash, error: false, text: '(?m)^(?P<sum>\d+(?:\.\d+)?)$'}}
    answer: {text: 'The total is {{last.sum}}.'}
  - name: yes
    when: {role: agent-validator, task: '(?s).*\ntool-call (?P<id>\S+) tool=bash status=ok'}
    answer: {text: '<attempt><verdict criterion="1" met="true"><evidence>{{task.id}}</evidence><reason>It is printed.</reason></verdict></attempt>'}
`;

async function play(directory: string, selfConsistency: string): Promise<Ended> {
  await mkdir(join(manifests, directory), { recursive: true });
  const tasks = ways.map(([name, intent]) => taskManifest(name, intent)).join('');
  await writeFile(join(manifests, directory, 'all.yaml'), agentManifest(selfConsistency) + tasks);
  await writeFile(join(manifests, directory, 'script.yaml'), scriptText);
  return retainer('run', '-f', join(manifests, directory), '--data', join(data, directory), '-o', 'json');
}

function endsOf({ stdout }: Ended): Readonly<Record<string, string>> {
  const { tasks } = JSON.parse(stdout) as { tasks: readonly { task: string; end: string }[] };
  return Object.fromEntries(tasks.map(({ task, end }) => [task, end]));
}

async function story(task: string): Promise<string> {
  return (await retainer('explain', task, '--data', join(data, 'always'))).stdout;
}

let always: Ended;
beforeAll(async () => {
  always = await play('always', 'Always');
});
afterAll(() => {
  endAll();
  return root.remove();
});

describe('a result that is worked out twice', () => {
  it('is accepted where two attempts came to it, and only there', () => {
    expect(endsOf(always)).toEqual({ right: 'Accepted', settled: 'Accepted', never: 'Abandoned' });
  });

  it('is told of in a sentence', async () => {
    expect(await story('right')).toContain('worked out twice, with the same result as attempt 1');
    const settled = await story('settled');
    expect(settled).toContain('worked out twice, with different results: 1250.40 and 5785.00');
    expect(settled).toContain('worked out twice, with the same result as attempt 2');
    expect(settled).toContain('The total is 5785.00.');
    const never = await story('never');
    expect(never).toContain('is worked out again, blind, attempt 2');
    expect(never).toContain('worked out 4 times, with different results: 1250.40, 5785.00, 3333 and 4444');
  });

  it.each(ways.map(([name]) => name))('is decided the same when %s is played again', async (name) => {
    const { code, stdout } = await retainer('replay', name, '--data', join(data, 'always'));
    expect([code, stdout]).toEqual([0, expect.stringContaining('decision')]);
  });

  it('is not worked out twice for a script that nobody asked it of', async () => {
    expect(endsOf(await play('auto', 'Auto'))).toEqual({ right: 'Accepted', settled: 'Accepted', never: 'Accepted' });
  });
});
