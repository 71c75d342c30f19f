/** A feature is one folder: put into a copy of the sources by two folders and two lines, it works in every place that features have. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { podHalf, pureHalf } from '../support/greetings-part.ts';
import { plainAgent, taskOf } from '../support/killed-life.ts';
import { oneStepRule, citingRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { TreeCopy } from '../support/tree-copy.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

const PURE_LIST = 'packages/mind/src/parts/parts.ts';
const POD_LIST = 'agent-pod/src/parts/parts.ts';

const manifestsOf = (task: string, intent: string): string => `${plainAgent}  upkeep: {summaries: {daily: false}}
${taskOf(task)}  intent: ${intent}
  successCriteria: [{text: It is done}]
`;

const script = `
version: 1
rules:${oneStepRule}${citingRule}
  - name: a later Task
    when: {role: executor, task: Say hello}
    answer: {text: Hello.}
  - name: both are greeted
    when: {role: executor, last: {text: 'greeted Eve'}}
    answer: {text: Ada and Eve are greeted.}
  - name: Ada is greeted
    when: {role: executor, last: {text: 'greeted Ada'}}
    answer: {calls: [{tool: greet, input: {whom: Eve}}]}
  - name: nobody is greeted
    when: {role: executor}
    answer: {calls: [{tool: greet, input: {whom: Ada}}]}
`;

const asks = `
import { Registry } from 'prom-client';
import { createPartMetrics } from '@retainer/agent-pod/http/part-metrics';
import { startOfParts } from '@retainer/mind/parts/derived';
const registry = new Registry();
const count = createPartMetrics(registry, () => ({ ...startOfParts(), greeted: new Set(['Ada', 'Eve']) }));
count({ store: 'greeting', kind: 'Greeted', seq: 1, timeMs: 1, payload: { whom: 'Ada' } });
console.log(await registry.metrics());
`;

const offers = `
import { catalog } from '@retainer/agent-pod/parts/catalog';
console.log(catalog.map(({ facts }) => facts.name).join(' '));
`;

describe('a feature of two folders and two lines', () => {
  const copy = new TreeCopy(root.path);
  const data = join(root.path, 'data');
  const retainer = (...args: readonly string[]) => copy.run(process.execPath, 'cli/bin/retainer.js', ...args);
  const run = (of = 'ball') => retainer('run', '-f', of, '--data', data, '--no-auditor');

  beforeAll(() => {
    copy.write('packages/mind/src/parts/greetings/part.ts', pureHalf);
    copy.write('agent-pod/src/parts/greetings/part.ts', podHalf);
    copy.list(PURE_LIST, 'greetingsPart', './greetings/part.ts');
    copy.list(POD_LIST, 'greetingsPod', './greetings/part.ts');
    copy.write('ball/all.yaml', manifestsOf('ball', 'Greet Ada and Eve.'));
    copy.write('ball/script.yaml', script);
    copy.write('tea/all.yaml', manifestsOf('tea', 'Say hello.'));
    copy.write('tea/script.yaml', script);
    const built = copy.build();
    expect(built.code, built.output).toBe(0);
  }, 600_000);

  verifies(
    'parts:two-folders',
    'works, is killed and goes on, and replays',
    () => {
      mkdirSync(join(data, 'workspace'), { recursive: true });
      writeFileSync(join(data, 'workspace', 'die'), '');
      const killed = run();
      expect(killed.code, killed.output).toBeUndefined();
      mkdirSync(join(data, 'spool'), { recursive: true });
      writeFileSync(
        join(data, 'spool', 'one.json'),
        JSON.stringify({ type: 'Greet', whom: 'Bob', reason: 'he came', by: 'ann' }),
      );
      const ended = run();
      expect(ended.code, ended.output).toBe(0);
      // The field of the manifest has an effect, so nobody is warned.
      expect(ended.output).not.toContain('upkeep.summaries');
      // Supervised work ran at the start of the second life.
      expect(readFileSync(join(data, 'greeted-at-start'), 'utf8')).toBe('1');
      const greetings = readdirSync(join(data, 'journal', 'greeting'))
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) =>
          readFileSync(join(data, 'journal', 'greeting', name), 'utf8')
            .trim()
            .split('\n'),
        )
        .map((line) => JSON.parse(line) as { kind: string; principal: string; payload: { whom: string } })
        .filter(({ kind }) => kind === 'Greeted');
      expect(greetings.map(({ principal, payload }) => `${payload.whom} by ${principal}`).toSorted()).toEqual([
        'Ada by agent',
        'Bob by human:ann',
        'Eve by agent',
      ]);
      expect(retainer('explain', 'ball', '--data', data).output).toContain('has greeted Ada');
      // A later cycle is told, and the field of the manifest is part of it.
      expect(run('tea').code).toBeDefined();
      const told = retainer('explain', 'tea', '--data', data, '--full').output;
      expect(told).toMatch(/greeted so far: (Ada|Bob|Eve| and ){5}; days false/);
      const replayed = retainer('replay', 'ball', '--data', data);
      expect(replayed.code, replayed.output).toBe(0);
      expect(retainer('journal', 'verify', data).code).toBe(0);
    },
    300_000,
  );

  verifies('parts:two-folders', 'is counted', () => {
    copy.write('metrics.mjs', asks);
    const { output } = copy.run(process.execPath, 'metrics.mjs');
    expect(output).toContain('retainer_agent_people_greeted 2');
    expect(output).toContain('retainer_agent_greetings_total 1');
  });

  verifies(
    'parts:two-folders',
    'is gone when its lines are, and so are three others; the record of the agent is told and goes on',
    () => {
      copy.unlist(PURE_LIST, 'greetingsPart');
      copy.unlist(POD_LIST, 'greetingsPod');
      copy.remove('packages/mind/src/parts/greetings');
      copy.remove('agent-pod/src/parts/greetings');
      for (const name of ['recallPod', 'selfPod', 'webPod']) copy.unlist(POD_LIST, name);
      const built = copy.build();
      expect(built.code, built.output).toBe(0);
      copy.write('names.mjs', offers);
      const names = copy.run(process.execPath, 'names.mjs').output.trim().split(' ');
      expect(names).toContain('memory_read');
      for (const gone of ['greet', 'memory_recall', 'introspect', 'fetch_url']) expect(names).not.toContain(gone);
      copy.write('late/all.yaml', manifestsOf('late', 'Say hello.'));
      copy.write('late/script.yaml', script);
      const ended = run('late');
      expect(ended.code, ended.output).toBeDefined();
      expect(ended.output).toContain('spec.upkeep.summaries');
      const story = retainer('explain', 'ball', '--data', data);
      expect(story.code, story.output).toBe(0);
      expect(story.output).not.toContain('has greeted');
    },
    300_000,
  );
});
