/** A run that nobody is there to decide for: told apart from one that works, so that the command ends instead of waiting. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { askCommand, askLines, waitingAsks, type PersonAsk } from './person-asks.ts';
import type { LeftRun } from './run-task.ts';

/** A person who reads the end of the command does not notice it. */
const LOOK_MS = 200;

/** What nobody may decide any more so soon is waited for: the work goes on without it. */
const SOON_OVER_MS = 10_000;

export interface LeftOptions {
  readonly agent: OpenedAgent;
  readonly dataDirectory: string;
  /** The decisions in the manifests, as far as they are read. */
  readonly decided: () => Promise<void>;
}

/** @returns what to do; never, if the signal comes first */
export async function leftRun(options: LeftOptions, runId: string, signal: AbortSignal): Promise<LeftRun> {
  const { agent, dataDirectory, decided } = options;
  for (;;) {
    // A command that ends otherwise must not be held by this look.
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return new Promise(() => undefined);
    if (waitingAsks(agent.runtime, runId).length === 0) continue;
    // A decision or an answer that was left earlier is on its way.
    await decided();
    if (agent.runtime.known.inbox.open.size > 0 || (await holdsCommands(join(dataDirectory, 'spool')))) continue;
    const asks = waitingAsks(agent.runtime, runId);
    if (asks.length > 0 && !asks.some(isSoonOver)) return tellWaiting(asks, dataDirectory);
  }
}

function isSoonOver({ expiresAtMs }: PersonAsk): boolean {
  return expiresAtMs !== undefined && expiresAtMs - Date.now() <= SOON_OVER_MS;
}

async function holdsCommands(spool: string): Promise<boolean> {
  const names = await readdir(spool).catch(() => []);
  return names.some((name) => name.endsWith('.json'));
}

function tellWaiting(asks: readonly PersonAsk[], dataDirectory: string): LeftRun {
  const isCall = asks.some(({ kind }) => kind === 'Approval');
  const lines = asks.flatMap((ask) => [...askLines(ask), askCommand(ask, dataDirectory)]);
  const nobody = `Nobody is at a terminal to ${isCall ? 'decide on a call' : 'answer a question'}.`;
  return {
    end: isCall ? 'AwaitingApproval' : 'AwaitingAnswer',
    why: [`${nobody} Type the command, then run this one again.`, ...lines].join('\n'),
  };
}
