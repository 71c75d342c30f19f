/**
 * Runs that are set aside: the program cannot go on with them; or it must not, under a changed character, or where a run did more than
 * the record holds. The agent works on without them, until a person or a new version tries them again.
 */
import { z } from 'zod';

const TaskName = z.object({ namespace: z.string(), name: z.string() });

export const Held = z.object({
  /** Digest of the character that admitted the run; empty: it was admitted elsewhere. */
  from: z.string(),
  /** The digest that a person names to let the run go on: of the changed character, or of this very hold. */
  to: z.string(),
  /** Of the character, which have changed. */
  parts: z.array(z.string()).readonly(),
  /**
   * What the run did in the meantime is not in the record: it was `Restored` from an older copy, or it is another one (`NotInRecord`).
   * `MayHaveEnded`: the Task came to the first process after a restoring. Absent: the character has changed.
   */
  because: z.enum(['Restored', 'NotInRecord', 'MayHaveEnded']).exactOptional(),
});
export type Held = z.infer<typeof Held>;

/** Parts in one message: the record has all. */
const PARTS_TOLD_MAX = 8;

/** Why a person must let the run go on, without a full stop. */
export function heldBecause({ because, parts }: Pick<Held, 'parts' | 'because'>): string {
  return because === undefined ? `the character has changed${partsText(parts)}` : unknownBecause[because];
}

const unknownBecause = {
  Restored: 'the record was restored from an earlier copy, and what the run did after that is not in it',
  MayHaveEnded: 'the record was just restored from an earlier copy, and the Task may have ended after that',
  NotInRecord: 'the Task had begun, and what was done for it is not in this record',
} as const satisfies Record<NonNullable<Held['because']>, string>;

export function partsText(parts: readonly string[]): string {
  if (parts.length === 0) return '';
  const more = parts.length > PARTS_TOLD_MAX ? ` and ${parts.length - PARTS_TOLD_MAX} more` : '';
  return ` in ${parts.slice(0, PARTS_TOLD_MAX).join(', ')}${more}`;
}

export const setAsideKinds = {
  RunSetAside: z.object({
    runId: z.string(),
    task: TaskName,
    /** The target of the notice that tells the run's end. Absent: the status of its Task tells it. */
    notice: z.string().exactOptional(),
    /** The letter whose answer tells it. Absent: no letter began the run. */
    letter: z.string().exactOptional(),
    /** Milliseconds since 1970. */
    startedAtMs: z.number(),
    /** Kind of the error and the places in the program, without its message, which may quote a person or a model. */
    where: z.array(z.string()).readonly(),
    /** Of the program that could not go on. */
    version: z.string(),
    /** A person must let the run go on. Absent: the program failed in it. */
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
  readonly notice?: string;
  readonly letter?: string;
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
