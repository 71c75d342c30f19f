/** What a pod notes on its Lease about the lock of its journal, and what it concludes from another's note: decision 0013. */
import { join } from 'node:path';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { isWriterGone, writerPlace } from '@retainer/journal/open-journal';
import type { KubeObject } from '@retainer/kube/kube-object';
import { isHeldFrom, placeNote } from '../lease/agent-lease.ts';
import type { PodConfig } from '../config.ts';

export class LockPlace {
  readonly #directory: string;
  readonly #node: string | undefined;
  readonly #holder: string;
  #place: string | undefined;

  /** @param holder  this pod, as its Lease names it */
  constructor({ dataDirectory, pod }: PodConfig, holder: string) {
    this.#directory = join(dataDirectory, 'journal');
    this.#node = pod.node;
    this.#holder = holder;
  }

  /** To be called once, before the Lease is asked for. Without a place nothing is noted, and every Lease is waited for. */
  async find(): Promise<void> {
    if (this.#node !== undefined) this.#place = await writerPlace(this.#directory, this.#node);
  }

  note(): Readonly<Record<string, string>> {
    return this.#place === undefined ? {} : { [ANNOTATIONS.writerPlace]: placeNote(this.#holder, this.#place) };
  }

  async isHolderGone(live: KubeObject): Promise<boolean> {
    return this.#place !== undefined && isHeldFrom(this.#place, live) && isWriterGone(this.#directory);
  }
}
