/**
 * Says which of several contradicting values holds, and why. The rules of facts decided it when the later one was written;
 * a record says so from now on.
 *
 * Source: springdrift 4 (fact conflicts). Differs: the surer value does not win by its stored number: see `fact-rules.ts`.
 */
import type { Dispute } from '../../parts/facts/facts.ts';
import type { Change, Pass } from './change.ts';

const REASONS: Readonly<Record<Dispute['why'], string>> = {
  PersonSaid: 'a person said the other value',
  SeenLater: 'the other value was seen later',
  AsSure: 'the other value is newer, and as sure as what is left of this one',
  Surer: 'the other value is older, and surer in spite of its age',
};

export const settleFacts: Pass = function* ({ facts }) {
  const changes: Change[] = [];
  for (const { key, seq, bySeq, why } of facts.disputed.values()) {
    yield;
    const reason = REASONS[why];
    changes.push({
      reason,
      commands: [{ store: 'fact', kind: 'FactSuperseded', payload: { key, seq, bySeq, reason } }],
    });
  }
  return changes;
};
