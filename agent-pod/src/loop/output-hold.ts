/**
 * Whether outgoing texts wait for a person by the agent's own note: a start reads a week of cycles, and a hold lasts until a text is
 * accepted, however long nobody writes one.
 */
import { z } from 'zod';
import { gateKinds } from '@retainer/mind/parts/interventions/part';
import { defineProjection, type Projection } from '@retainer/mind/part/projection';

const Note = z.object({
  isHeld: z.boolean(),
  /** Milliseconds since 1970. */
  atMs: z.number(),
});

export class OutputHold {
  /** The newest one; undefined: outgoing texts were never held. */
  #note: Readonly<z.infer<typeof Note>> | undefined;
  #acceptedAtMs = 0;

  /** An outgoing text was accepted. @param atMs  milliseconds since 1970 */
  accepted(atMs: number): void {
    this.#acceptedAtMs = Math.max(this.#acceptedAtMs, atMs);
  }

  /** Whether a hold that others know of has no note: a crash came before it. */
  lacksNote(isHeld: boolean): boolean {
    return isHeld && this.#note?.isHeld !== true;
  }

  /** A crash may have come between an accepted text and its note. */
  get stands(): boolean {
    return this.#note?.isHeld === true && this.#note.atMs > this.#acceptedAtMs;
  }

  readonly projection: Projection<OutputHold> = defineProjection({
    store: 'agent',
    kinds: gateKinds,
    start: () => this,
    folds: {
      GatesIntervened: { because: 'it holds no text' },
      GatesChanged: (hold: OutputHold, { change }, { timeMs: atMs }) => {
        if (change === 'OutputsHeld' || change === 'OutputsReleased')
          hold.#note = { isHeld: change === 'OutputsHeld', atMs };
      },
    },
    others: { because: 'it says nothing of outgoing texts' },
    window: 'WholeStore',
    cached: {
      version: 1,
      schema: Note.nullable(),
      keep: (hold) => hold.#note ?? null,
      restore: (hold, kept) => {
        hold.#note = kept ?? undefined;
      },
    },
  });
}
