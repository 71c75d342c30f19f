/**
 * Keeps components alive, and gives up with an error.
 *
 * Source: springdrift 7 (Permanent, Transient, Temporary; at most 5 restarts in 60 s); design 5.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Component, RestartPolicy } from '../ports/component.ts';

export interface SupervisorEvents {
  onRestart(name: string, error: unknown): void;
  /** The component exceeded the restart intensity: the process must not report itself healthy. */
  onGivenUp(name: string, error: unknown): void;
}

/** More restarts than this within the window indicate a fault that a restart does not repair. */
const RESTARTS_MAX = 5;
const RESTART_WINDOW_MS = 60_000;

const restartDelay: BackoffPolicy = { initialMs: 100, factor: 2, ceilingMs: 5_000, jitterRatio: 0 };

/** Runs one component until it is done, aborted, or given up. Never rejects. */
export async function supervise(
  component: Component,
  clock: Clock,
  signal: AbortSignal,
  events: SupervisorEvents,
): Promise<void> {
  const restarts: number[] = [];
  while (!signal.aborted) {
    const end = await runOnce(component, signal);
    if (signal.aborted || !isRestarted(component.restart, end)) return;
    const now = clock.monotonicMs();
    restarts.push(now);
    while ((restarts[0] ?? now) < now - RESTART_WINDOW_MS) restarts.shift();
    if (restarts.length > RESTARTS_MAX) return events.onGivenUp(component.name, end.error);
    events.onRestart(component.name, end.error);
    await clock.sleep(backoffMs(restartDelay, restarts.length - 1, 0), signal).catch(() => undefined);
  }
}

type End = { readonly failed: boolean; readonly error?: unknown };

async function runOnce(component: Component, signal: AbortSignal): Promise<End> {
  try {
    await component.run(signal);
    return { failed: false };
  } catch (error) {
    return { failed: true, error };
  }
}

function isRestarted(policy: RestartPolicy, end: End): boolean {
  switch (policy) {
    case 'Permanent':
      return true;
    case 'Transient':
      return end.failed;
    case 'Temporary':
      return false;
  }
}
