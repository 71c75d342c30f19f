/**
 * Skill texts in people's own ConfigMaps. Such a ConfigMap has no label of ours, so no cache holds it; it is read by name when
 * needed.
 */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { parseJson } from '@retainer/contract/std/parse-json';
import { BootSkill, textDigest } from '@retainer/contract/wire/boot';
import type { KubeClient } from '@retainer/kube/kube-client';
import { keyOf, type KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';

export type SkillText =
  | { readonly type: 'Text'; readonly text: string }
  | { readonly type: 'ConfigMapMissing' }
  | { readonly type: 'KeyMissing' };

export type ReadText = (skill: BootSkill, signal: AbortSignal) => Promise<SkillText>;

/** At 64 KiB each, 16 MiB. */
const REMEMBERED_TEXTS_MAX = 256;

export function liveText(client: KubeClient): ReadText {
  return async ({ metadata, spec: { body, configMapRef } }, signal) => {
    if (configMapRef === undefined) return { type: 'Text', text: body ?? '' };
    const key = { namespace: metadata.namespace, name: configMapRef.name };
    const found = await client.get(resources.configMaps, key, { signal });
    if (found === undefined) return { type: 'ConfigMapMissing' };
    const text = dataOf(found)[configMapRef.key];
    return typeof text === 'string' ? { type: 'Text', text } : { type: 'KeyMissing' };
  };
}

/**
 * Texts by their pinned digest. A mounted text never changes, even if its ConfigMap does. So an agent's pass asks the API
 * server only for a text that neither this process nor a mounted document has.
 */
export class PinnedTexts {
  readonly #client: KubeClient;
  readonly #live: ReadText;
  /** In the order in which they were read. */
  readonly #known = new Map<string, string>();

  constructor(client: KubeClient) {
    this.#client = client;
    this.#live = liveText(client);
  }

  /** @param mounted  ConfigMaps of the agent's documents: their metadata is enough */
  reader(mounted: readonly KubeObject[]): ReadText {
    return async (skill, signal) => {
      const digest = skill.spec.configMapRef?.digest;
      if (digest === undefined) return this.#live(skill, signal);
      const known = this.#known.get(digest) ?? (await this.#mountedText(mounted, digest, signal));
      if (known !== undefined) return { type: 'Text', text: known };
      const found = await this.#live(skill, signal);
      if (found.type === 'Text') this.#remember(digest, found.text);
      return found;
    };
  }

  async #mountedText(mounted: readonly KubeObject[], digest: string, signal: AbortSignal): Promise<string | undefined> {
    const place = mounted.find(({ metadata }) => metadata.annotations?.[ANNOTATIONS.textDigest] === digest);
    const found = place && (await this.#client.get(resources.configMaps, keyOf(place), { signal }));
    const [document] = Object.values(found === undefined ? {} : dataOf(found));
    // Text that is no JSON: somebody broke our document.
    const parsed = BootSkill.safeParse(typeof document === 'string' ? parseJson(document) : undefined);
    const text = parsed.success ? parsed.data.spec.body : undefined;
    if (text !== undefined) this.#remember(digest, text);
    return this.#known.get(digest);
  }

  /** Remembers only a text with the right digest: any other may be corrected under the same name. */
  #remember(digest: string, text: string): void {
    if (textDigest(text) !== digest) return;
    this.#known.set(digest, text);
    forgetOldest(this.#known, REMEMBERED_TEXTS_MAX);
  }
}

function dataOf(configMap: KubeObject): Readonly<Record<string, unknown>> {
  return (configMap['data'] ?? {}) as Readonly<Record<string, unknown>>;
}
