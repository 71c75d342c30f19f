import { listen } from '@retainer/kube/listen';
import { describe, expect, it } from 'vitest';
import { findingKinds } from './finding.ts';
import { noFigures, renderMetrics } from './metrics.ts';
import { auditorPages } from './pages.ts';

describe('renderMetrics', () => {
  it('shows every kind of finding from the start, at 0', () => {
    const text = renderMetrics(noFigures);
    for (const kind of findingKinds) expect(text).toContain(`retainer_auditor_findings{kind="${kind}"} 0\n`);
    expect(text).toContain('retainer_auditor_alarms 0\n');
  });

  it('counts open findings by kind, and notices as no alarm', () => {
    const open = [
      { kind: 'TailCut', store: 'alpha', detail: '' },
      { kind: 'TailCut', store: 'beta', detail: '' },
      { kind: 'GapRecorded', store: 'beta', detail: '' },
      { kind: 'GapAcknowledged', store: 'beta', detail: '' },
    ] as const;
    const text = renderMetrics({ ...noFigures, open, stores: [{ store: 'alpha', lastSeq: 9, keptSeq: 4 }] });
    expect(text).toContain('retainer_auditor_findings{kind="TailCut"} 2\n');
    expect(text).toContain('retainer_auditor_alarms 3\n');
    expect(text).toContain('retainer_auditor_store_kept_seq{store="alpha"} 4\n');
  });

  it('gives each metric its help and type, in the form that scrapers read', () => {
    for (const line of renderMetrics(noFigures).trimEnd().split('\n'))
      expect(line).toMatch(
        /^(# (HELP|TYPE) retainer_auditor_\w+ .+|retainer_auditor_\w+(\{\w+="[\w-]+"\})? -?[\d.]+)$/,
      );
  });
});

describe('the pages of the auditor', () => {
  it.each([
    { path: '/metrics', unwell: undefined, status: 200, body: 'figures' },
    { path: '/healthz', unwell: undefined, status: 200, body: 'ok\n' },
    { path: '/healthz', unwell: 'asleep', status: 503, body: 'asleep\n' },
    { path: '/report', unwell: undefined, status: 200, body: '{"messages":7}\n' },
    { path: '/other', unwell: undefined, status: 404, body: 'no such page\n' },
  ])('answers $path with $status', async ({ path, unwell, status, body }) => {
    const routes = auditorPages({
      metrics: () => 'figures',
      report: () => ({ messages: 7 }),
      unwell: () => unwell,
    });
    const server = await listen({ port: 0, host: '127.0.0.1', routes });
    try {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      expect([response.status, await response.text()]).toEqual([status, body]);
    } finally {
      await server.close();
    }
  });
});
