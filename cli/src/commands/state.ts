/** `retainer state`: what an agent sees of itself, from its record; with `--watch`, again whenever it has changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { programVersion } from '@retainer/agent-pod/boot/program-version';
import { costOf } from '@retainer/agent-pod/infer/price';
import { stateLooks, type RecordedState } from '@retainer/agent-pod/review/state-records';
import { systemClock } from '@retainer/contract/std/system-clock';
import { askRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output, OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { toldLines } from '../render-told.ts';
import { standard } from '../standard-stream.ts';
import { stopSignals } from '../stop-signals.ts';

export interface StateFlags extends PlaceFlags {
  readonly output: OutputFormat;
  readonly watch?: true;
  readonly asTold?: true;
  readonly untilInputEnds?: true;
}

/** Between two looks: a person who waits for a change does not notice it. */
const PAUSE_MIN_MS = 2000;

/** The pause is so many times as long as the look before it took: a long record costs a tenth of a processor at most. */
const PAUSE_RATIO = 9;

/** It tells the state so often although nothing has changed: a person sees that it looks, and a lost connection is noticed. */
const AGAIN_MS = 60_000;

export async function stateCommand(flags: StateFlags): Promise<number> {
  const words = ['state', ...(flags.asTold ? ['--as-told'] : [])];
  if (flags.watch === undefined)
    return askRecord(flags, { words }, async ({ output, directory }) => {
      const state = await looks(directory)();
      if (!state.ok) return refuse(output, state.error);
      output.data(state.value);
      tell(output, flags, state.value);
      return exitCodes.done;
    });
  const stop = stopSignals(
    () => undefined,
    () => process.exit(exitCodes.interrupted),
  );
  const command = { words: [...words, '--watch', '--until-input-ends'], until: stop.signal };
  try {
    return await askRecord(flags, command, ({ output, directory }) => watch(output, directory, flags, stop.signal));
  } finally {
    stop.dispose();
  }
}

function looks(directory: string): ReturnType<typeof stateLooks> {
  return stateLooks(directory, { version: programVersion(), costOf });
}

async function watch(output: Output, directory: string, flags: StateFlags, stop: AbortSignal): Promise<number> {
  const signal = flags.untilInputEnds ? AbortSignal.any([stop, inputEnd()]) : stop;
  try {
    return await tellChanges(output, directory, flags, signal);
  } finally {
    // An open standard input would keep the process alive.
    if (flags.untilInputEnds) process.stdin.destroy();
  }
}

async function tellChanges(output: Output, directory: string, flags: StateFlags, signal: AbortSignal): Promise<number> {
  const look = looks(directory);
  let shown: RecordedState | undefined;
  let pauseMs = PAUSE_MIN_MS;
  while (!signal.aborted && standard.out.loss?.code !== 'EPIPE') {
    const startMs = systemClock.monotonicMs();
    const state = await look();
    if (!state.ok) return refuse(output, state.error);
    if (shown === undefined || isNews(shown, state.value, pauseMs)) {
      shown = state.value;
      output.dataLine(shown);
      output.line(new Date(shown.view.nowMs).toISOString(), 'Quiet');
      tell(output, flags, shown);
      output.line('');
    }
    pauseMs = Math.max(PAUSE_MIN_MS, PAUSE_RATIO * (systemClock.monotonicMs() - startMs));
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return exitCodes.done;
}

/** Anything but the clock has changed, or after a pause as long as the last one it would come too late to tell it again. */
function isNews(shown: RecordedState, now: RecordedState, pauseMs: number): boolean {
  const isDue = now.view.nowMs + pauseMs > shown.view.nowMs + AGAIN_MS;
  return isDue || withoutClock(now) !== withoutClock(shown);
}

function withoutClock({ told }: RecordedState): string {
  return told.replace(/^<clock .*$/m, '');
}

function tell(output: Output, { asTold }: StateFlags, { told, unread }: RecordedState): void {
  if (asTold) return output.line(told);
  output.lines(toldLines(told));
  for (const where of unread) output.line(`${where} cannot be read: the agent goes on without it`, 'Warning');
}

/** Comes when nobody writes to standard input any more. */
function inputEnd(): AbortSignal {
  const ended = new AbortController();
  for (const name of ['end', 'close', 'error']) process.stdin.once(name, () => ended.abort());
  process.stdin.resume();
  return ended.signal;
}
