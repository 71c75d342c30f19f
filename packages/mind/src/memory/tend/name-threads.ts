/**
 * Wants a name for a thread that several runs went on with: code named it after its first run. Only a model finds names; where nobody
 * is asked, a thread keeps the one that it has.
 *
 * Source: springdrift 4 (thread names).
 */
import type { LabelledThread } from '../../parts/threads/threads.ts';
import type { Change, Pass } from './change.ts';

/** Runs after which it is clear what a thread is about. */
const RUNS_MIN = 3;

/** Words of the thread that are shown of each kind, the newest. */
const WORDS_MAX = 10;

const REASON = 'several runs went on with it, and its name was that of the first';

export const nameThreads: Pass = function* ({ threads }) {
  const changes: Change[] = [];
  for (const thread of threads.byId.values()) {
    yield;
    if (isToName(thread)) changes.push(naming(thread));
  }
  return changes;
};

/** A stranger's words name nothing that the agent is told. */
function isToName({ runs, isNamed, isDormant, label, nameLabel }: LabelledThread): boolean {
  const isBelieved = label.trust === 'Trusted' && nameLabel.trust === 'Trusted';
  return runs >= RUNS_MIN && isNamed !== true && isDormant !== true && isBelieved;
}

function naming({ threadId, name, domain, locations, keywords, label }: LabelledThread): Change {
  const texts = [
    `name until now: ${name}`,
    `domain: ${domain}`,
    `places: ${locations.slice(-WORDS_MAX).join(', ')}`,
    `keywords: ${keywords.slice(-WORDS_MAX).join(', ')}`,
  ];
  return {
    reason: REASON,
    commands: [
      { store: 'thread', kind: 'ThreadNamed', payload: { threadId, name, label, by: 'Code', reason: REASON } },
    ],
    wording: { subject: `name-${threadId}`, form: 'Name', about: 'a thread of tasks', texts },
  };
}
