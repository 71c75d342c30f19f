/** A mailbox followed as the agent does: opened, listed, read, flagged, waited for, and opened anew after each fault. */
import type { ServerHealth } from '@retainer/agent-pod/ports/mail';
import { expect } from 'vitest';
import type { TestedMailbox } from './mail-ports.ts';

export class FollowedMailbox {
  /** What health said in between, each change once, oldest first. */
  readonly told: ServerHealth[] = [];
  readonly #tested: TestedMailbox;
  readonly #stopping = new AbortController();
  readonly #following: Promise<void>;
  #uidValidity = '';
  #uid = 1;

  constructor(tested: TestedMailbox) {
    this.#tested = tested;
    this.#following = this.#follow();
  }

  health(): ServerHealth {
    return this.#tested.mailbox.health();
  }

  /** Resolves when a letter with these words was read. */
  async until(words: string): Promise<void> {
    await expect.poll(() => this.#tested.read.some(({ text }) => text.includes(words))).toBe(true);
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('the test ended'));
    await this.#following;
    await this.#tested.mailbox.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const { uidValidity } = await this.#tested.mailbox.open(signal);
        if (uidValidity !== this.#uidValidity) [this.#uidValidity, this.#uid] = [uidValidity, 1];
        while (!signal.aborted) await this.#round(signal);
      } catch {
        this.#tell();
      }
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { mailbox } = this.#tested;
    this.#tell();
    const places = await mailbox.list({ uid: this.#uid, sinceMs: 0, max: 1_000 });
    for (const place of places) await mailbox.read(place);
    await mailbox.flag(places);
    this.#uid = (places.at(-1)?.uid ?? this.#uid - 1) + 1;
    await mailbox.changed(signal);
  }

  #tell(): void {
    const health = this.health();
    if (this.told.at(-1) !== health) this.told.push(health);
  }
}
