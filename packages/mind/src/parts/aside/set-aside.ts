/**
 * Runs that are set aside: the program cannot go on with them, or must not under a changed character. The agent works on without
 * them, until a person or a new version tries them again.
 */
import { z } from 'zod';

const TaskName = z.object({ namespace: z.string(), name: z.string() });

const Held = z.object({ from: z.string(), to: z.string(), parts: z.array(z.string()).readonly() });
export type Held = z.infer<typeof Held>;

export const setAsideKinds = {
  RunSetAside: z.object({
    runId: z.string(),
    task: TaskName,
    /** Milliseconds since 1970. */
    startedAtMs: z.number(),
    /** Kind of the error and the places in the program, without its message, which may quote a person or a model. */
    where: z.array(z.string()).readonly(),
    /** Of the program that could not go on. */
    version: z.string(),
    /** The character has changed, and a person must let the run go on. Absent: the program failed in it. */
    held: Held.exactOptional(),
  }),
  /** `version`: it is a new one. Otherwise a person asked for it. */
  RunTriedAgain: z.object({ runId: z.string(), version: z.string(), by: z.string().exactOptional() }),
  /** A person wants the work of a run that has ended once more. */
  RunAskedAnew: z.object({ runId: z.string(), by: z.string() }),
  /** A person cancelled a run that no program can go on with. */
  RunGivenUp: z.object({ runId: z.string(), by: z.string(), reason: z.string() }),
  /** The receiver has the end of a run that was given up. */
  GivenUpDelivered: z.object({ runId: z.string() }),
} as const;

export interface AsideRun {
  readonly task: z.infer<typeof TaskName>;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly where: readonly string[];
  readonly version: string;
  readonly held?: Held;
  /** Nobody tries it again. */
  readonly isGivenUp: boolean;
  /** What its receiver has not been told yet: why it was given up, and when. */
  readonly untold?: { readonly reason: string; readonly atMs: number };
}

/** By run. */
export type AsideRuns = Map<string, AsideRun>;

type Kinds = typeof setAsideKinds;

export const setAsideFolds = {
  RunSetAside: (runs: AsideRuns, { runId, ...run }: z.infer<Kinds['RunSetAside']>) => {
    runs.set(runId, { ...run, isGivenUp: false });
  },
  RunTriedAgain: (runs: AsideRuns, { runId }: z.infer<Kinds['RunTriedAgain']>) => {
    runs.delete(runId);
  },
  /** It has ended, so it is not among them. */
  RunAskedAnew: () => undefined,
  RunGivenUp: (
    runs: AsideRuns,
    { runId, reason }: z.infer<Kinds['RunGivenUp']>,
    { timeMs: atMs }: { readonly timeMs: number },
  ) => {
    const run = runs.get(runId);
    if (run !== undefined) runs.set(runId, { ...run, isGivenUp: true, untold: { reason, atMs } });
  },
  GivenUpDelivered: (runs: AsideRuns, { runId }: z.infer<Kinds['GivenUpDelivered']>) => {
    const { untold: _, ...run } = runs.get(runId) ?? {};
    if ('task' in run) runs.set(runId, run);
  },
} as const;

/** Whether this program leaves the run alone. */
export function isLeftAside(run: AsideRun | undefined, version: string): boolean {
  return run !== undefined && (run.isGivenUp || run.held !== undefined || run.version === version);
}
