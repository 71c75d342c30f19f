/** One pair: the tried rules, the one that fired, and the verdict of the pair alone. */
import type { StoryLine } from '@retainer/mind/part/story';
import type { PairTrial } from './try-norms.ts';
import { GATE_VERDICTS } from '@retainer/mind/gate/calculus/floors';
import { renderNorm, type Norm } from '@retainer/mind/gate/calculus/norm';
import { judged, plain, quiet } from './story-lines.ts';

const OUTCOMES = {
  Inert: 'the user’s norm is inert',
  SystemWins: 'the system wins',
  UserDominates: 'the user dominates',
  Coordinate: 'both have the same weight',
} as const satisfies Readonly<Record<PairTrial['fired']['outcome'], string>>;

export function renderPairTrial(user: Norm, system: Norm, { fired, asked, floor }: PairTrial): readonly StoryLine[] {
  return [
    plain(`user    ${renderNorm(user)}  (level ${user.ordinal})`),
    plain(`system  ${renderNorm(system)}  (level ${system.ordinal})`),
    ...asked.map((rule) => {
      const text = `  ${rule === fired ? 'yes' : 'no '}  ${rule.id.padEnd(31)} ${rule.when}`;
      return rule === fired ? plain(text) : quiet(text);
    }),
    plain(`${fired.severity}: ${OUTCOMES[fired.outcome]}, by ${fired.id}`),
    judged(floor.verdict, `alone: ${floor.verdict} (${GATE_VERDICTS[floor.verdict]}) by ${floor.id}`),
  ];
}
