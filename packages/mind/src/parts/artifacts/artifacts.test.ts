import { describe, expect, it } from 'vitest';
import { readOlder } from '../../../../../test/support/older-record.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { artifactKinds, artifacts, summaryOf, type ArtifactIndex } from './artifacts.ts';

const web = { source: { kind: 'Web', name: 'a.example' }, trust: 'Untrusted', readers: 'Everyone' } as const;
const about = { sizeBytes: 4, label: web, tool: 'fetch_url', url: 'https://a.example/', truncated: false };
const kept = (artifactId: string) => ({ ...about, artifactId, sha256: 'x', text: 'text', summary: 'text' });

function take(index: ArtifactIndex, artifactId: string, seq: number): void {
  const head = { store: 'artifact', kind: 'ArtifactKept', timeMs: 7, runId: 'r', cycleId: 'c' };
  artifacts.take(index, { ...head, seq, payload: kept(artifactId) });
}

describe('the index of artifacts', () => {
  verifies('memory:artifacts', 'tells where each comes from, and holds no text', () => {
    const index = artifacts.start();
    take(index, 'a', 3);
    take(index, 'a', 4);
    const told = { ...about, artifactId: 'a', summary: 'text', runId: 'r', cycleId: 'c', keptAtMs: 7, seq: 3 };
    expect(index.all()).toEqual([told]);
    const restored = artifacts.start();
    expect(artifacts.restore(restored, JSON.parse(JSON.stringify(artifacts.keep(index))))).toBe(true);
    expect(restored).toEqual(index);
  });

  verifies('memory:artifacts', 'holds the newest ones, and counts what left it', () => {
    const index = artifacts.start();
    for (let at = 0; at < 20_002; at += 1) take(index, `a${at}`, at);
    expect([index.size, index.left, index.has('a1'), index.has('a2')]).toEqual([20_000, 2, false, true]);
    const restored = artifacts.start();
    artifacts.restore(restored, artifacts.keep(index) ?? { version: 0, form: null });
    expect([restored.size, restored.left]).toEqual([20_000, 2]);
  });
});

describe('an artifact of version 1', () => {
  verifies('memory:artifacts', 'reads as one of today, from a tool that nobody knows', () => {
    const older = { artifactId: 'a', sha256: 'x', sizeBytes: 9, text: 'one\ntwo' };
    expect(artifactKinds.ArtifactKept.parse(readOlder('ArtifactKept', 1, older))).toEqual({
      ...older,
      summary: 'one two',
      truncated: false,
    });
  });
});

describe('a summary', () => {
  const long = 'word '.repeat(100);
  it.each([
    ['is one line', '\n\n one\r\n  two\u2028three ', 'one two three'],
    ['is cut', long, long.slice(0, 200).trim()],
    ['holds no half character', `${'x'.repeat(199)}🙂`, 'x'.repeat(199)],
    ['of nothing is nothing', ' \n ', ''],
  ])('%s', (_, text, summary) => {
    expect(summaryOf(text)).toBe(summary);
  });
});
