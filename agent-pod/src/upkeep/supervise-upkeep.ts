/** Components that run for the agent's whole life: spool, Dreamer, backup, and the watches over volume, clock and a full disk. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { Agent } from '@retainer/contract/api/agent';
import { watchSpool, type SpoolWriters, type WatchedSpool } from '../input/spool.ts';
import type { Journal } from '@retainer/journal/journal';
import type { AgentRuntime } from '../loop/agent-runtime.ts';
import type { Pause } from '../loop/pause.ts';
import type { SteadyClock } from '../loop/steady-clock.ts';
import type { Bell } from '../loop/bell.ts';
import { supervise } from '../loop/supervisor.ts';
import type { Component } from '../ports/component.ts';
import type { TendedMail } from '../ports/mail.ts';
import type { JobRunsPort } from '../ports/job-runs.ts';
import { componentsOfParts } from '../parts/derived.ts';
import type { BackupWatch } from './backup-watch.ts';
import { clockWatch, recordClockJump } from './clock-watch.ts';
import { dreamer } from './dreamer.ts';
import { resumeWatch } from './resume-watch.ts';
import { canTakeTasks } from './volume-level.ts';
import { volumeUsage, volumeWatch } from './volume-watch.ts';

export interface Upkept {
  readonly agent: Agent['spec'];
  readonly dataDirectory: string;
  readonly clock: SteadyClock;
  readonly journal: Journal;
  readonly runtime: AgentRuntime;
  readonly pause: Pause;
  readonly dreamIntervalMs: number;
  readonly jobs: JobRunsPort;
  /** Absent: the agent has no mail. */
  readonly mail?: TendedMail | undefined;
  /** Rung by records of work. */
  readonly workBell: Bell;
  /** `OsUsers` by default. */
  readonly spoolWriters?: SpoolWriters;
  /** Absent: no second copy is made. */
  readonly backup?: Pick<BackupWatch, 'component'> | undefined;
  readonly onNotice?: (notice: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** One reason for both watches, so that the first to see free space ends the pause. */
export const VOLUME_FULL = 'VolumeFull';

/** A component that waits listens to the end, and so does what it waits for: more of them are a leak, which Node tells. */
const LISTENERS_EACH = 3;

/** Resolves after the signal was aborted, when all components have ended. */
export async function superviseUpkeep(agent: Upkept, signal: AbortSignal): Promise<void> {
  const events = {
    onRestart: (name: string, error: unknown) => agent.onNotice?.(`${name} restarts: ${String(error)}`),
    onGivenUp: (name: string, error: unknown) => agent.onFault(new Error(`${name} failed too often`, { cause: error })),
  };
  const all = components(agent);
  setMaxListeners(LISTENERS_EACH * all.length, signal);
  await Promise.all(all.map((component) => supervise(component, agent.clock, signal, events)));
}

type Spooled = Pick<Upkept, 'dataDirectory' | 'spoolWriters' | 'journal' | 'runtime'> & {
  readonly onNotice?: Upkept['onNotice'] | undefined;
};

/** The spool of an agent, and what becomes of what lies in it. */
export function spoolOf({ dataDirectory, spoolWriters, journal, runtime, onNotice }: Spooled): WatchedSpool {
  return {
    directory: join(dataDirectory, 'spool'),
    writers: spoolWriters ?? 'OsUsers',
    isAccepting: () => runtime.isReady && journal.mode === 'Writable',
    accept: (originId, command) => runtime.accept(originId, 'spool', command),
    onRejected: (file, reason) => onNotice?.(`command ${file} was set aside: ${reason}`),
  };
}

function components({
  dataDirectory,
  clock,
  journal,
  runtime,
  pause,
  dreamIntervalMs,
  backup,
  onNotice,
  agent,
  jobs,
  mail,
  workBell,
  ...more
}: Upkept): readonly Component[] {
  const spool = spoolOf({ ...more, dataDirectory, journal, runtime, onNotice });
  const usage = (): ReturnType<typeof volumeUsage> => volumeUsage(dataDirectory);
  return [
    {
      name: 'spool',
      restart: 'Permanent',
      run: (signal) => watchSpool(spool, clock, signal),
    },
    volumeWatch({
      clock,
      usage,
      onLevel: ({ level, before, usedRatio }) => {
        runtime.takeNewRuns(canTakeTasks(level));
        if (level === before) return;
        onNotice?.(`the volume is ${Math.round(usedRatio * 100)} % full: ${level}`);
        if (level === 'ReadOnly') pause.begin(VOLUME_FULL);
        if (before === 'ReadOnly') pause.end(VOLUME_FULL);
      },
    }),
    dreamer({ clock, runtime, intervalMs: dreamIntervalMs }),
    clockWatch({
      clock,
      tellsLate: clock.isMachines,
      onStandstill: (forMs, why) => runtime.stoodStill({ kind: 'StoodStill', atMs: clock.nowMs(), forMs, why }),
      onJump: recordClockJump(journal),
    }),
    ...(backup === undefined ? [] : [backup.component()]),
    ...componentsOfParts({
      dataDirectory,
      clock,
      agent,
      jobs,
      parts: runtime.parts,
      appraising: { parts: runtime.partsFor('Appraiser'), changed: (signal) => workBell.rung(signal) },
      ...(mail === undefined ? {} : { mail }),
      ...(onNotice === undefined ? {} : { onNotice }),
    }),
    resumeWatch({
      clock,
      journal,
      usage,
      onResumed: () => {
        onNotice?.('the volume has space again: the work continues from the record');
        pause.end(VOLUME_FULL);
      },
    }),
  ];
}
