/**
 * Row 6: the auditor cannot write what the agent writes, and the reverse. With real users, hence root only.
 *
 * As on a cluster: two users, one group that may read the journal, and a directory of the auditor's own.
 */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import type { Attempt, UserAct } from './audit-as-user.ts';

const agent = { uid: 64_101, gid: 64_100 };
const auditor = { uid: 64_102, gid: 64_100 };
const script = fileURLToPath(new URL('audit-as-user.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

let root: string;
const data = (): string => join(root, 'data');
const own = (): string => join(root, 'audit');

function act(user: { readonly uid: number; readonly gid: number }, what: UserAct['act']): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`exit ${code}: ${text}`))));
    child.stdin.end(JSON.stringify({ ...user, act: what }));
  });
}

/** Everything below a directory, the directory included. */
function below(directory: string): readonly { readonly path: string; readonly isDirectory: boolean }[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const inside = entries.map((entry) => ({
    path: join(entry.parentPath, entry.name),
    isDirectory: entry.isDirectory(),
  }));
  return [{ path: directory, isDirectory: true }, ...inside];
}

const changes = (directory: string): readonly Attempt[] =>
  below(directory).flatMap(({ path, isDirectory }): readonly Attempt[] =>
    isDirectory
      ? [
          { deed: 'create', path },
          { deed: 'chmod', path },
        ]
      : [
          { deed: 'append', path },
          { deed: 'overwrite', path },
          { deed: 'unlink', path },
          { deed: 'chmod', path },
        ],
  );

const reads = (directory: string): readonly Attempt[] =>
  below(directory).map(({ path, isDirectory }) => ({ deed: isDirectory ? 'list' : 'read', path }));

async function outcomes(user: typeof agent, attempts: readonly Attempt[]): Promise<readonly { outcome: string }[]> {
  return (await act(user, { type: 'Attempt', attempts })) as readonly { outcome: string }[];
}

describe.skipIf(!isRoot)('two users, agent and auditor (needs root: it takes real users)', () => {
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'audit-permissions-'));
    chmodSync(root, 0o755);
    for (const [directory, user] of [
      [data(), agent],
      [own(), auditor],
    ] as const) {
      mkdirSync(directory);
      chownSync(directory, user.uid, user.gid);
      chmodSync(directory, directory === data() ? 0o750 : 0o700);
    }
    await act(agent, { type: 'Write', journal: join(data(), 'journal') });
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  verifies(
    'audit:apart-from-the-agent',
    'the auditor verifies what it can only read, and keeps its heads',
    async () => {
      const audit = await act(auditor, { type: 'Audit', journal: join(data(), 'journal'), own: own() });
      expect(audit).toMatchObject({ code: 0 });
      expect(JSON.stringify(audit)).not.toContain('could write to the journal');
    },
  );

  verifies('audit:apart-from-the-agent', "the auditor changes nothing of the agent's", async () => {
    const attempts = changes(data());
    expect(attempts.length).toBeGreaterThan(20);
    expect((await outcomes(auditor, attempts)).filter(({ outcome }) => !/^(EACCES|EPERM)$/.test(outcome))).toEqual([]);
  });

  verifies('audit:apart-from-the-agent', "the agent changes and reads nothing of the auditor's", async () => {
    const attempts = [...changes(own()), ...reads(own())];
    expect(attempts.length).toBeGreaterThan(20);
    expect((await outcomes(agent, attempts)).filter(({ outcome }) => !/^(EACCES|EPERM)$/.test(outcome))).toEqual([]);
  });

  verifies(
    'audit:apart-from-the-agent',
    'these attempts succeed where they are allowed, or they would prove nothing',
    async () => {
      const mine = await outcomes(auditor, reads(own()));
      expect(mine.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
      expect(await outcomes(agent, [{ deed: 'create', path: data() }])).toMatchObject([{ outcome: 'done' }]);
    },
  );
});
