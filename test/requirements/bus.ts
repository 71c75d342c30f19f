import type { Requirements } from './requirement.ts';

export const busRequirements = {
  'artoo A.2': {
    'bus:by-role': 'A message reaches the role that it is for, whole and unchanged, and no other role.',
    'bus:order': 'The messages of one run to one role come in the order of their publication, one at a time.',
    'bus:publish-never-waits': 'Publishing waits for no consumer.',
    'bus:at-least-once': 'A message that was taken is handed over until its handler resolves.',
    'bus:rejected-again':
      'What a handler rejects is handed over again after a pause that grows; other runs go on meanwhile.',
    'bus:tap-loses': 'Only observers may lose, and how many messages they lost is reported.',
    'bus:schema': 'Every type has a schema of its payload; an unknown type, version or payload is refused.',
  },
  'artoo C': {
    'bus:garbage': 'What is no message, or not what its hash says, is acknowledged, counted and passed over.',
    'bus:close': 'A closed bus hands over nothing more; what it did not acknowledge comes again elsewhere.',
    'bus:reclaim':
      'What a dead consumer had in hand goes to another after 60 s, and to itself at once when it is back.',
    'bus:trimmed': 'The stream keeps about 100,000 entries; who lost unread ones by that is told.',
    'bus:shared': 'Two processes that consume one role share its messages.',
    'bus:tls': 'With rediss:// nothing is said before the certificate of Redis is vouched for.',
  },
  'artoo A.2, A.12': {
    'bus:tap': 'Every observer sees every message, whoever consumes it; an observer that fails disturbs nobody.',
    'bus:routes': 'Every type has one way, and what is not in the table may go nowhere.',
  },
  'reliability-security 1': {
    'bus:visible-refusal':
      'While the bus is away or full, publishing fails at once and visibly; nothing is queued out of sight.',
  },
  'reliability-security 1, 7': {
    'bus:total-loss':
      'After a restart of Redis, with its data or without, groups are there again, and what is published again from the journal makes every message handled once by consumers that go by the id.',
  },
  'reliability-security 7': {
    'bus:killed-in-a-run':
      'A run whose messages are told on a Redis that is killed and started again in its middle ends once, and so does the next.',
  },
  'design 7': {
    'bus:no-secret': 'User and password of the bus are in no error and no report.',
  },
} as const satisfies Requirements;
