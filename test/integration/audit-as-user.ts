/**
 * Acts as another user: started by root, it loads everything, gives up root, and then does what it is told.
 *
 * Input: JSON on standard input. Output: one line of JSON.
 */
import { appendFileSync, chmodSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { errorCode } from '@retainer/journal/journal-errors';
import { runAuditor } from '@retainer/agent-pod/audit/run-auditor';
import { systemClock } from '@retainer/contract/std/system-clock';
import { note, openSampleJournal } from '../support/sample-journal.ts';

export interface UserAct {
  readonly uid: number;
  readonly gid: number;
  readonly act:
    | { readonly type: 'Write'; readonly journal: string }
    | { readonly type: 'Audit'; readonly journal: string; readonly own: string }
    | { readonly type: 'Attempt'; readonly attempts: readonly Attempt[] };
}

export interface Attempt {
  readonly deed: keyof typeof deeds;
  readonly path: string;
}

const deeds = {
  append: (path: string) => appendFileSync(path, 'x'),
  chmod: (path: string) => chmodSync(path, 0o777),
  create: (path: string) => writeFileSync(`${path}/intruder`, 'x'),
  list: (path: string) => readdirSync(path),
  overwrite: (path: string) => writeFileSync(path, 'x'),
  read: (path: string) => readFileSync(path),
  rename: (path: string) => renameSync(path, `${path}.moved`),
  unlink: (path: string) => unlinkSync(path),
} as const;

async function perform({ act }: UserAct): Promise<unknown> {
  switch (act.type) {
    case 'Write': {
      const journal = await openSampleJournal(act.journal, systemClock);
      for (let batch = 0; batch < 5; batch += 1)
        await journal.append(Array.from({ length: 60 }, (_, at) => note('alpha', at)));
      await journal.close();
      return journal.heads();
    }
    case 'Audit': {
      const options = { journalDirectory: act.journal, ownDirectory: act.own, once: true, lookEveryMs: 1000 };
      const rest = {
        busSocket: undefined,
        characterFiles: [],
        telling: undefined,
        metricsFile: undefined,
        port: undefined,
        listenAll: false,
        setAside: undefined,
      };
      const lines: unknown[] = [];
      const signal = new AbortController().signal;
      const code = await runAuditor(
        { ...options, ...rest },
        { clock: systemClock, signal, log: (line) => lines.push(line) },
      );
      return { code, lines };
    }
    case 'Attempt':
      return act.attempts.map(({ deed, path }) => ({ deed, path, outcome: outcomeOf(() => deeds[deed](path)) }));
  }
}

function outcomeOf(deed: () => unknown): string {
  try {
    deed();
    return 'done';
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const input = JSON.parse(Buffer.concat(chunks).toString('utf8')) as UserAct;
process.setgroups?.([]);
process.setgid?.(input.gid);
process.setuid?.(input.uid);
process.umask(0o027);
process.stdout.write(`${JSON.stringify(await perform(input))}\n`);
