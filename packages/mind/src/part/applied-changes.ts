/**
 * Which commands of people a store already holds the change of. A command is done only after its change is written: when the
 * process dies between the two, the next start carries it out again, and must change nothing then.
 */
import { z } from 'zod';
import { addNewest } from './newest-members.ts';
import { defineProjection, everyKind, type Projection, type Window } from './projection.ts';

/** Of a record that a person caused: the origin of the command. Absent: no command caused it. */
export const originField = { originId: z.string().exactOptional() };

/** Newest changes that are known by origin: far more than commands are ever open at once, and only an open one is asked for. */
const CHANGES_KEPT = 1_000;

/**
 * Origins of the commands whose change the store holds.
 *
 * @param window  a part of the store only where the same change twice is the same as once: a command that was set aside may be
 *   tried again by a later version, many records after its change
 */
export function appliedChanges(
  store: string,
  kinds: Readonly<Record<string, z.ZodType>>,
  window: Window = 'WholeStore',
): Projection<Set<string>> {
  return defineProjection({
    store,
    kinds,
    start: () => new Set<string>(),
    folds: everyKind(kinds, (state: Set<string>, payload) => {
      const { originId } = payload as z.infer<z.ZodObject<typeof originField>>;
      if (originId !== undefined) addNewest(state, originId, CHANGES_KEPT);
    }),
    window,
    cached: {
      version: 1,
      schema: z.array(z.string()),
      keep: (state) => [...state],
      restore: (state, kept) => {
        for (const originId of kept) state.add(originId);
      },
    },
  });
}
