/** What a run must be that is to begin. */
import { withoutSpent, type Command, type Inbox } from '@retainer/mind/run/inbox';

type StartRun = Extract<Command, { type: 'StartRun' }>;

/** The command without an override that an earlier run has had; the notice tells people. */
export function withoutSpentOverride(
  { spec: asked, ...command }: StartRun,
  inbox: Pick<Inbox, 'overrides'>,
  onNotice: ((notice: string) => void) | undefined,
): StartRun {
  const spec = withoutSpent(asked, inbox);
  const { overrideSpent, task } = spec;
  if (overrideSpent !== undefined)
    onNotice?.(
      `${task.name}: its override of ${overrideSpent.rule} is spent, run ${overrideSpent.runId} had it; the Task is judged without it`,
    );
  return { ...command, spec };
}

/** The agent takes no commands at present. The record keeps the accepted ones. */
export class NotRunningError extends Error {
  override readonly name = 'NotRunningError';
}

/** @throws NotRunningError on a full volume; another error for a run that there is */
export function checkNewRun(
  runId: string,
  { isAllowed, isKnown }: { readonly isAllowed: boolean; readonly isKnown: (runId: string) => boolean },
): void {
  if (!isAllowed)
    throw new NotRunningError(
      'the volume is more than 90 % full: the agent starts no new Task until the volume has space',
    );
  if (isKnown(runId)) throw new Error(`run ${runId} belongs to other work: give the Task another name`);
}
