import { setImmediate } from 'node:timers/promises';

/** Records between two pauses: some 20 ms, in which nothing else happens. */
const RECORDS_AT_ONCE = 200;

/** @returns to be awaited after each record of many: lets others work now and then */
export function pauses(): () => Promise<void> {
  let records = 0;
  return async () => {
    records += 1;
    if (records % RECORDS_AT_ONCE === 0) await setImmediate();
  };
}
