/** Work on many things at a time when others wait for their turn. */
import { setImmediate } from 'node:timers/promises';

/** Some milliseconds of a short deed each. */
const SLICE = 4096;

export async function inSlices<T>(things: Iterable<T>, deed: (thing: T) => void): Promise<void> {
  let done = 0;
  for (const thing of things) {
    deed(thing);
    done += 1;
    if (done % SLICE === 0) await setImmediate();
  }
}
