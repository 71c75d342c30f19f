/** The end of a store after more records. Pure. */
import { copyChain, type ChainState } from './chain-scanner.ts';
import { isoTime } from './codec.ts';
import type { JournalRecord } from './journal.ts';
import { addLeaf } from './merkle.ts';

export function advance(state: ChainState, records: readonly JournalRecord[], bytes: number): ChainState {
  const next = copyChain(state);
  const { content } = next;
  for (const { seq, hash, timeMs } of records) {
    const time = isoTime(timeMs);
    addLeaf(content.frontier, content.count, hash);
    if (content.count === 0) content.firstSeq = seq;
    if (content.minTime === '' || time < content.minTime) content.minTime = time;
    if (time > content.maxTime) content.maxTime = time;
    content.count += 1;
  }
  const last = records.at(-1);
  if (last !== undefined) {
    const { seq, hash, order, epoch } = last;
    Object.assign(content, { lastSeq: seq, lastHash: hash });
    Object.assign(next, { nextSeq: seq + 1, lastHash: hash, expectedPrev: hash, order, epoch });
  }
  next.endBytes += bytes;
  next.line += records.length;
  return next;
}
