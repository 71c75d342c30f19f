/**
 * A release: what an installation puts into the pod of every agent. Pure.
 *
 * Two installations have the same release if they give a plain agent the same pod: the image, its pull policy and secrets, and
 * whatever this program writes into a pod template. A change of anything else goes to each agent in its turn.
 */
import { API_VERSION } from '@retainer/contract/api/names';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { BootAgent } from '@retainer/contract/wire/boot';
import type { Release } from '@retainer/contract/wire/rollout';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { RolloutMark } from '../../observe/rollout-mark.ts';
import type { Settings } from '../../settings/settings.ts';
import { desiredStatefulSet } from './stateful-set.ts';

/** Enough digits that no two releases of an installation are alike. */
const ID_DIGITS = 12;

const PLAIN: BootAgent = BootAgent.parse({
  apiVersion: API_VERSION,
  kind: 'Agent',
  metadata: { name: 'plain', namespace: 'plain' },
  spec: { characterRef: { name: 'plain' }, pod: { egressProxy: true } },
});
const DOCUMENT = { component: 'config', configMapName: 'plain', file: 'plain', text: '' } as const;
const DOCUMENTS = {
  config: DOCUMENT,
  character: DOCUMENT,
  skills: [],
  digests: { config: '', character: '', skills: '' },
} as const;

export function releaseOf(settings: Settings): Release {
  const { object } = desiredStatefulSet({
    agent: PLAIN,
    settings,
    documents: DOCUMENTS,
    egressGrant: 'plain',
    restartRequestedAt: undefined,
    renewedAccount: undefined,
    existingClaimTemplates: [],
    rollout: undefined,
  });
  const { template } = object['spec'] as { readonly template: unknown };
  return { id: sha256Hex(canonicalJson(template)).slice(0, ID_DIGITS), image: settings.images.agent };
}

/** What the rollout lets an agent do. */
export type Permission =
  /** Take the release. `sinceMs`: present if the agent works, so that its start tells whether the release is good. */
  | { readonly type: 'Take'; readonly sinceMs: number | undefined }
  /** Stay with the release that it has. */
  | { readonly type: 'Stay' }
  /** Go back to the image with which it was Ready. */
  | { readonly type: 'Return' };

export interface ChosenRelease {
  /** Of the installation; the Agent may name another one itself. */
  readonly image: string;
  readonly mark: RolloutMark;
}

/** @param good  the last release that came up everywhere; new agents begin with it while another is on its way */
export function chooseRelease(
  { statefulSet, people }: Pick<ObservedAgent, 'statefulSet' | 'people'>,
  permission: Permission,
  { release, good = release }: { readonly release: Release; readonly good: Release | undefined },
): ChosenRelease {
  const mark = statefulSet?.rollout;
  const present = mark?.image ?? statefulSet?.template.agentImage;
  if (permission.type === 'Return' && mark?.before !== undefined)
    return chosen({ release: RETURNED, image: mark.before, people });
  if (mark?.release === release.id) return chosen({ ...mark, people });
  if (permission.type === 'Take') return chosen({ ...taken(release, permission.sinceMs, { present, mark }), people });
  return chosen({ ...stayed(mark, present, good), people });
}

/** What an agent has keeps; a new one gets what is good. */
function stayed(
  mark: RolloutMark | undefined,
  present: string | undefined,
  good: Release,
): Pick<RolloutMark, 'release' | 'image'> {
  if (present === undefined) return { release: good.id, image: good.image };
  return { release: RETURNED, ...mark, image: present };
}

/** In the place of a release: the image is one of before. */
const RETURNED = '';

function taken(
  { id, image }: Release,
  sinceMs: number | undefined,
  { present, mark }: { readonly present: string | undefined; readonly mark: RolloutMark | undefined },
): Omit<RolloutMark, 'people'> {
  const before = sinceMs === undefined ? mark?.before : present;
  return {
    release: id,
    image,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(before === undefined ? {} : { before }),
  };
}

function chosen(mark: RolloutMark): ChosenRelease {
  return { image: mark.image, mark };
}
