import { withoutSpent, type Command, type Inbox } from '@retainer/mind/run/inbox';

type StartRun = Extract<Command, { type: 'StartRun' }>;

/** The command without an override that an earlier run has had; the notice tells people. */
export function withoutSpentOverride(
  { type, spec: asked }: StartRun,
  inbox: Pick<Inbox, 'overrides'>,
  onNotice: ((notice: string) => void) | undefined,
): StartRun {
  const spec = withoutSpent(asked, inbox);
  const { overrideSpent, task } = spec;
  if (overrideSpent !== undefined)
    onNotice?.(
      `${task.name}: its override of ${overrideSpent.rule} is spent, run ${overrideSpent.runId} had it; the Task is judged without it`,
    );
  return { type, spec };
}
