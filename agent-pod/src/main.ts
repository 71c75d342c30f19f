/** The entry point of the agent in its pod. */
import { AGENT_EXIT_CODES } from '@retainer/contract/wire/agent-exit';
import { JournalClosedError, JournalCorruptError } from '@retainer/journal/open-journal';
import { BootError } from './boot/boot-error.ts';
import { writeTerminationMessage } from './boot/termination-message.ts';
import { readConfig } from './config.ts';
import { processLog } from '@retainer/kube/process-log';
import { systemClock } from '@retainer/contract/std/system-clock';
import { errorPlace } from './loop/error-place.ts';
import { PodEnd, runPod } from './pod/run-pod.ts';

/** Group members read the journal: the auditor is one. Others read nothing. */
const UMASK = 0o027;

async function main(): Promise<number> {
  process.umask(UMASK);
  const log = processLog({ clock: systemClock });
  const config = readConfig();
  if (!config.ok) {
    for (const fault of config.error) log({ level: 'error', message: 'the environment has errors', fault });
    return AGENT_EXIT_CODES.configuration;
  }
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  try {
    await runPod(config.value, { clock: systemClock, log, signal: stop.signal });
    log({ level: 'info', message: 'the agent ends' });
    return AGENT_EXIT_CODES.drained;
  } catch (error) {
    const end = endOf(error);
    log({
      level: 'error',
      message: 'the agent failed',
      why: end.message,
      reason: end.reason,
      ...(end.isKnown ? {} : errorPlace(error)),
    });
    if (end.reason !== undefined) {
      await writeTerminationMessage(config.value.terminationLog, { reason: end.reason, message: end.message });
    }
    return end.code;
  }
}

interface End {
  readonly code: number;
  readonly reason: BootError['reason'] | undefined;
  readonly message: string;
  /** The message explains the fault; no place in the code is needed. */
  readonly isKnown: boolean;
}

function endOf(error: unknown): End {
  if (error instanceof BootError)
    return { code: AGENT_EXIT_CODES.configuration, reason: error.reason, message: error.message, isKnown: true };
  if (error instanceof JournalCorruptError)
    return { code: AGENT_EXIT_CODES.bug, reason: 'JournalCorrupt', message: error.message, isKnown: true };
  // The journal names the file, and takes nothing more: nothing was acknowledged that is not on the disk.
  if (error instanceof JournalClosedError)
    return { code: AGENT_EXIT_CODES.bug, reason: 'JournalDegraded', message: error.message, isKnown: true };
  if (error instanceof PodEnd) return { code: error.code, reason: error.reason, message: error.message, isKnown: true };
  return {
    code: AGENT_EXIT_CODES.bug,
    reason: 'PodCrashing',
    message: 'the agent failed: see its log',
    isKnown: false,
  };
}

process.exitCode = await main();
// Handles left open by a model or a tool must not keep the process alive.
process.exit();
