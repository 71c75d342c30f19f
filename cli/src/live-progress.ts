/** One line per step while runs go on. */
import { storyTeller } from '@retainer/agent-pod/review/tell-records';
import type { JournalRecord } from '@retainer/journal/journal';
import { renderDuration } from '@retainer/mind/explain/figures';
import { renderStep } from '@retainer/mind/explain/render-story';
import type { RunEventOf, RunSpec } from '@retainer/mind/run/event';
import type { Output } from './output.ts';

/** Silence after which a line names what the run waits for. */
const SILENCE_MS = 15_000;

export interface LiveProgress {
  /** Learns from an earlier record without showing it. */
  learn(record: JournalRecord): void;
  show(record: JournalRecord): void;
  stop(): void;
}

interface Waiting {
  readonly sinceMs: number;
  readonly what: string;
}

/** @param startedAtMs  of the monotonic clock: a step of the machine's clock shows in no time  @param hasNames  whether runs may be concurrent, so that each line must name its run. Those of jobs come beside any other and are always named */
export function liveProgress(output: Output, startedAtMs: number, hasNames: boolean): LiveProgress {
  const tell = storyTeller();
  const names = new Map<string, string>();
  const ofJobs = new Set<string>();
  const waiting = new Map<string, Waiting>();
  let shownAtMs = startedAtMs;
  const now = (): number => performance.now();

  const learn = (record: JournalRecord): ReturnType<typeof tell> => {
    const { runId = '', kind } = record;
    if (kind === 'RunAdmitted') {
      const { task, cause } = specOf(record);
      names.set(runId, task.name);
      if (cause.kind === 'Job') ofJobs.add(runId);
    }
    return tell(record);
  };
  const timer = setInterval(() => {
    if (now() - shownAtMs < SILENCE_MS) return;
    shownAtMs = now();
    for (const { what, sinceMs } of waiting.values())
      output.note(`          waiting for ${what}, ${renderDuration(now() - sinceMs)} so far`, 'Quiet');
  }, SILENCE_MS / 3);
  timer.unref();

  return {
    learn: (record) => void learn(record),
    show: (record) => {
      const { runId = '' } = record;
      for (const step of learn(record)) {
        noteWaiting(waiting, record, { what: step.text, sinceMs: now() });
        if (step.live === undefined) continue;
        shownAtMs = now();
        const name = hasNames || ofJobs.has(runId) ? `${names.get(runId) ?? runId}: ` : '';
        const { text, tone } = renderStep({ ...step, atMs: shownAtMs, text: `${name}${step.live}` }, startedAtMs);
        output.note(text, tone);
      }
    },
    stop: () => clearInterval(timer),
  };
}

const intents: ReadonlySet<string> = new Set([
  'ModelRequested',
  'ToolRequested',
  'ApprovalRequested',
  'QuestionAsked',
  'Parked',
]);

/** What is waited for goes on beside them. */
const besides: ReadonlySet<string> = new Set(['GateDecided', 'RunParked', 'StoodStill']);

function noteWaiting(waiting: Map<string, Waiting>, { runId = '', kind }: JournalRecord, what: Waiting): void {
  if (intents.has(kind)) waiting.set(runId, what);
  else if (!besides.has(kind)) waiting.delete(runId);
}

function specOf(record: JournalRecord): RunSpec {
  return (record.payload as unknown as RunEventOf<'RunAdmitted'>).spec;
}
