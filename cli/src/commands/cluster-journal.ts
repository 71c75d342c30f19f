/** `retainer journal` on a cluster: the same commands on the volumes of an agent, in a pod of their own. */
import { MOUNTS } from '@retainer/contract/api/names';
import { AccessError } from '../access/agent-access.ts';
import { workOnVolumes } from '../access/open-access.ts';
import { clusterOptions, type PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { createOutput, type OutputFormat } from '../output.ts';
import type { RepairFlags, ShowFlags, VerifyFlags } from './journal.ts';

/** The options of a cluster; the record of this machine is an argument. */
export type ClusterFlags = Omit<PlaceFlags, 'data'> & { readonly output: OutputFormat };

/** The auditor's program in the image. */
const AUDITOR = '/app/agent-pod/dist/auditor-main.js';

/** Whether the volumes of an agent are meant, and no directory of this machine. @throws AccessError where neither is, or both are */
export function isOnCluster(directory: string | undefined, flags: ClusterFlags): boolean {
  const isNamed = clusterOptions(flags).length > 0;
  if (directory !== undefined && isNamed)
    throw new AccessError(`${directory} means a directory here and the options a cluster: leave one of them out`);
  if (directory === undefined && !isNamed && !readEnvironment().caller.isPlugin)
    throw new AccessError('give the directory of the journal, or the Agent on a cluster: --agent NAME -n NAMESPACE');
  return directory === undefined;
}

export function verifyOnCluster(flags: VerifyFlags & ClusterFlags): Promise<number> {
  if (flags.heads !== undefined)
    throw new AccessError('--heads takes a directory here: the auditor compares its heads itself');
  return onVolumes(flags, {
    ...{ user: 'agent', writes: false },
    words: (_, isLive) => ['retainer', 'journal', 'verify', ...(isLive ? ['--live'] : []), MOUNTS.data],
  });
}

export function showOnCluster({ store, run, kind, from, to, ...flags }: ShowFlags & ClusterFlags): Promise<number> {
  const words = optionsOf({ store, run, kind, from, to });
  return onVolumes(flags, {
    ...{ user: 'agent', writes: false },
    words: () => ['retainer', 'journal', 'show', MOUNTS.data, ...words],
  });
}

/** Recorded under the name of the person at the API server. */
export function repairOnCluster(flags: RepairFlags & ClusterFlags): Promise<number> {
  const { yes = false, giveUpStore = [], reason } = flags;
  const given = [...(yes ? ['--yes'] : []), ...giveUpStore.flatMap((store) => ['--give-up-store', store])];
  return onVolumes(flags, {
    ...{ user: 'agent', writes: yes },
    words: (by) => ['retainer', 'journal', 'repair', MOUNTS.data, ...given, ...optionsOf({ reason, by })],
  });
}

/** @param place  a store, or the place of a gap such as `cycle/21` */
export function acknowledgeOnCluster(
  place: string,
  flags: ClusterFlags & { readonly reason: string },
): Promise<number> {
  const where = ['--journal', `${MOUNTS.data}/journal`, '--own', MOUNTS.auditorData];
  return onVolumes(flags, {
    ...{ user: 'auditor', writes: true, hasFormat: false },
    words: (by) => ['node', AUDITOR, ...where, '--set-aside', place, ...optionsOf({ reason: flags.reason, by })],
  });
}

interface OnVolumes {
  readonly user: 'agent' | 'auditor';
  readonly writes: boolean;
  /** Whether the program takes `-o`. Default: true. */
  readonly hasFormat?: boolean;
  readonly words: (user: string, isLive: boolean) => readonly string[];
}

function onVolumes(flags: ClusterFlags, { words, hasFormat = true, ...work }: OnVolumes): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const format = hasFormat ? ['-o', flags.output] : [];
  return workOnVolumes(flags, output, { ...work, words: (by, isLive) => [...words(by, isLive), ...format] });
}

/** An argument that begins with a dash is no option: `--name=text`. */
function optionsOf(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
}
