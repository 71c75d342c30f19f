/** The state of a rollout in words. Pure. */
import { parseRolloutState, ROLLOUT_ENTRIES, type RolloutState } from '@retainer/contract/wire/rollout';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { StoryLine } from '@retainer/mind/part/story';

/** @param object  the operator's ConfigMap */
export function rolloutOf(object: KubeObject | undefined): RolloutState | undefined {
  const data = (object?.['data'] ?? {}) as Readonly<Record<string, string | undefined>>;
  return parseRolloutState(data[ROLLOUT_ENTRIES.state]);
}

export function rolloutLines(state: RolloutState, nowMs: number): readonly StoryLine[] {
  const { phase, release, changedAt, good, halted } = state;
  const minutes = Math.max(0, Math.round((nowMs - Date.parse(changedAt)) / 60_000));
  const counts: StoryLine = { tone: 'Plain', text: `  ${waveText(state)}, since ${changedAt} (${minutes} min)` };
  if (phase === 'Done')
    return [{ tone: 'Good', text: `done: every working agent has the release ${release.image}` }, counts];
  if (halted === undefined) return [{ tone: 'Plain', text: `rolling: ${release.image}` }, counts];
  const { agent, reason, message, returnsTo } = halted;
  const next =
    good === undefined || good.id === release.id
      ? 'install a release that works, or begin again: retainer rollout resume'
      : `install a release that works (the last one was ${good.image}), or begin again: retainer rollout resume`;
  return [
    { tone: 'Bad', text: `halted: Agent ${agent} did not come up with ${release.image}` },
    { tone: 'Plain', text: `  ${reason}: ${message}` },
    {
      tone: 'Plain',
      text: returnsTo === undefined ? '  no earlier image of it is known' : `  it returns to ${returnsTo}`,
    },
    counts,
    { tone: 'Plain', text: `  ${next}` },
  ];
}

/** `wave 2 of 4: 3 of 60 working agents are Ready with it`. */
export function waveText({ wave, waves, ready, agents }: RolloutState): string {
  return `wave ${wave} of ${waves}: ${ready} of ${agents} working agents are Ready with it`;
}
