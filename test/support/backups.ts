/** Data directories with a small journal, and their backups. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Backup } from '@retainer/agent-pod/backup/backup';
import { secretFinder } from '@retainer/agent-pod/infer/secrets';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { note, openSampleJournal } from './sample-journal.ts';

/** Segments are large, so that they have many pieces. */
const LARGE = { segmentBytes: 64 * 1024 * 1024 };

export interface DataDirectory {
  readonly path: string;
  readonly journal: Journal;
  readonly backup: Backup;
  /** Appends records to both stores. */
  readonly append: (count: number, text?: string) => Promise<void>;
  readonly writeFile: (path: string, text: string | Uint8Array) => void;
}

export async function openDataDirectory(
  path: string,
  {
    clock = systemClock,
    secret,
    agent,
  }: { readonly clock?: Clock; readonly secret?: string; readonly agent?: string } = {},
): Promise<DataDirectory> {
  mkdirSync(join(path, 'workspace'), { recursive: true });
  const journal = await openSampleJournal(join(path, 'journal'), clock, LARGE, { agentUid: agent });
  const holdsSecret = secretFinder(secret === undefined ? [] : [{ name: 'KEY', value: secret }]);
  let next = 0;
  return {
    path,
    journal,
    backup: new Backup({ dataDirectory: path, holdsSecret, clock }),
    append: async (count, text) => {
      const records = Array.from({ length: count }, () => note(next % 2 === 0 ? 'alpha' : 'beta', (next += 1), text));
      await Promise.all(['alpha', 'beta'].map((store) => journal.append(records.filter((it) => it.store === store))));
    },
    writeFile: (name, text) => {
      const file = join(path, 'workspace', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
  };
}

/** As the first start of an agent does. @param agent  `NAMESPACE/NAME` */
export async function nameIndividual(path: string, agent: string, individual: string): Promise<void> {
  const directory = join(path, 'journal');
  const journal = await openJournal({ directory, stores: agentStores, agentUid: agent, clock: systemClock });
  await journal.append([{ store: 'agent', kind: 'IndividualNamed', principal: 'agent', payload: { individual } }]);
  await journal.close();
}

/** What git itself says, of nobody's configuration. @param directory  a data directory */
export function gitSays(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', [...args], {
    env: { PATH: process.env['PATH'], GIT_DIR: join(directory, 'git'), GIT_CONFIG_GLOBAL: '/dev/null' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Every file of the record by its path, without what an opening makes anew. */
export function recordBytes(directory: string): ReadonlyMap<string, string> {
  const root = join(directory, 'journal');
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => statSync(join(root, path)).isFile() && !['ballast', 'lock'].includes(path),
  );
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(root, path), 'latin1')]));
}
