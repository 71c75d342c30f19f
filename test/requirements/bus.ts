import type { Requirements } from './requirement.ts';

export const busRequirements = {
  'bus:by-role': {
    source: 'artoo A.2',
    behavior: 'A message reaches the role that it is for, whole and unchanged, and no other role.',
  },
  'bus:order': {
    source: 'artoo A.2',
    behavior: 'The messages of one run to one role come in the order of their publication, one at a time.',
  },
  'bus:publish-never-waits': {
    source: 'artoo A.2',
    behavior: 'Publishing waits for no consumer.',
  },
  'bus:at-least-once': {
    source: 'artoo A.2',
    behavior: 'A message that was taken is handed over until its handler resolves.',
  },
  'bus:rejected-again': {
    source: 'artoo A.2',
    behavior: 'What a handler rejects is handed over again after a pause that grows; other runs go on meanwhile.',
  },
  'bus:garbage': {
    source: 'artoo C',
    behavior: 'What is no message, or not what its hash says, is acknowledged, counted and passed over.',
  },
  'bus:tap': {
    source: 'artoo A.2, A.12',
    behavior: 'Every observer sees every message, whoever consumes it; an observer that fails disturbs nobody.',
  },
  'bus:tap-loses': {
    source: 'artoo A.2',
    behavior: 'Only observers may lose, and how many messages they lost is reported.',
  },
  'bus:close': {
    source: 'artoo C',
    behavior: 'A closed bus hands over nothing more; what it did not acknowledge comes again elsewhere.',
  },
  'bus:visible-refusal': {
    source: 'reliability-security 1',
    behavior: 'While the bus is away or full, publishing fails at once and visibly; nothing is queued out of sight.',
  },
  'bus:reclaim': {
    source: 'artoo C',
    behavior: 'What a dead consumer had in hand goes to another after 60 s, and to itself at once when it is back.',
  },
  'bus:total-loss': {
    source: 'reliability-security 1, 7',
    behavior:
      'After a restart of Redis, with its data or without, groups are there again, and what is published again from the journal makes every message handled once by consumers that go by the id.',
  },
  'bus:killed-in-a-run': {
    source: 'reliability-security 7',
    behavior:
      'A run whose messages are told on a Redis that is killed and started again in its middle ends once, and so does the next.',
  },
  'bus:trimmed': {
    source: 'artoo C',
    behavior: 'The stream keeps about 100,000 entries; who lost unread ones by that is told.',
  },
  'bus:shared': {
    source: 'artoo C',
    behavior: 'Two processes that consume one role share its messages.',
  },
  'bus:no-secret': {
    source: 'design 7',
    behavior: 'User and password of the bus are in no error and no report.',
  },
  'bus:tls': {
    source: 'artoo C',
    behavior: 'With rediss:// nothing is said before the certificate of Redis is vouched for.',
  },
  'bus:routes': {
    source: 'artoo A.2, A.12',
    behavior: 'Every type has one way, and what is not in the table may go nowhere.',
  },
  'bus:schema': {
    source: 'artoo A.2',
    behavior: 'Every type has a schema of its payload; an unknown type, version or payload is refused.',
  },
} as const satisfies Requirements;
