/** How the agent knows who decided: a name alone is what anybody may write. */
import { z } from 'zod';

/**
 * `OsUser`: the operating system says whose file or terminal it was. `Manifest`: a name in a file beside the Task. `PodsExec`:
 * somebody who may run programs in the agent's container said so, under a name that nothing compared. `Mail`: a letter whose sender was
 * authenticated, see the record of the letter. Absent: the API server
 * compared the name with its requester, or the record is older.
 */
export const KnownBy = z.object({
  how: z.enum(['OsUser', 'Manifest', 'PodsExec', 'Mail']),
  uid: z.number().exactOptional(),
});
export type KnownBy = z.infer<typeof KnownBy>;

export const knownByField = { knownBy: KnownBy.exactOptional() };
