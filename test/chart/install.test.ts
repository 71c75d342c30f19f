/** `retainer install` with the real helm: its arguments are taken, and a dry run is what the chart renders. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { templateArguments, type InstallChoice } from '../../cli/src/install/helm-arguments.ts';
import { findHelm, runHelm, type HelmRun } from '../../cli/src/install/run-helm.ts';
import { toolPath } from '../../scripts/kubernetes-tools.ts';
import { chartDirectory, parseObjects, RELEASE, renderChart } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';

const before = process.env['PATH'];
beforeAll(async () => {
  process.env['PATH'] = `${dirname(await toolPath('helm'))}:${before ?? ''}`;
});
afterAll(() => {
  process.env['PATH'] = before;
});

const notes: string[] = [];
const run: HelmRun = { onNote: (line) => notes.push(line), signal: new AbortController().signal };

describe('retainer install', () => {
  verifies('cli-cluster:install-renders', 'takes a new helm', async () => {
    expect(await findHelm(run)).toEqual({ ok: true, value: undefined });
  });

  verifies('cli-cluster:install-renders', 'renders what the values say, the more exact one winning', async () => {
    const choice: InstallChoice = {
      release: RELEASE.name,
      namespace: RELEASE.namespace,
      values: [],
      set: ['watchNamespaces={team-a,team-b}', 'image.sandbox.tag=other'],
      registry: 'registry.example.com:5000',
      tag: '1.30',
      resetValues: false,
    };
    const ended = await runHelm(templateArguments(chartDirectory, choice), run);
    if (!ended.ok) throw new Error(ended.error);
    expect([ended.value.code, notes]).toEqual([0, []]);
    expect(parseObjects(ended.value.stdout)).toEqual(
      await renderChart({
        watchNamespaces: ['team-a', 'team-b'],
        'image.registry': 'registry.example.com:5000',
        'image.operator.tag': '1.30',
        'image.agent.tag': '1.30',
        'image.sandbox.tag': 'other',
      }),
    );
  });

  verifies('cli-cluster:install-renders', 'passes on what helm says of a value that is misspelt', async () => {
    notes.length = 0;
    const choice = {
      release: RELEASE.name,
      namespace: 'x',
      values: [],
      set: ['operator.replicsa=2'],
      resetValues: false,
    };
    const ended = await runHelm(templateArguments(chartDirectory, choice), run);
    expect(ended).toMatchObject({ ok: true, value: { code: 1 } });
    expect(notes.join('\n')).toContain('replicsa');
  });
});
