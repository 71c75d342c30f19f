import type { Requirements } from './requirement.ts';

const store = 'reliability-security 1';

export const journalRequirements = {
  'journal:line-round-trip': {
    source: `${store} (record)`,
    behavior: 'A record survives its line byte for byte; newlines only as escapes.',
  },
  'journal:hash-covers-bytes': {
    source: `${store} (record)`,
    behavior: 'Any changed byte of a line is found by its hash, which covers tag, store and bytes.',
  },
  'journal:blob-over-64-kib': {
    source: `${store} (record)`,
    behavior: 'A larger payload moves to a content-addressed blob that is synced first; readers do not notice.',
  },
  'journal:first-record': {
    source: `${store} (first record)`,
    behavior: 'The first record names store, agent, schema version and a nonce; its previous hash is zero.',
  },
  'journal:segments-roll': {
    source: `${store} (segments)`,
    behavior:
      'Segments roll by size and UTC day; the day never goes backwards; a sealed one ends in a footer with a Merkle root.',
  },
  'journal:group-commit': {
    source: `${store} (write path)`,
    behavior: 'What waits together is written and synced together; callers resolve after the sync.',
  },
  'journal:short-writes': {
    source: 'reliability-security 0',
    behavior: 'A write that takes a part only is continued; no torn record is acknowledged.',
  },
  'journal:lazy-within-a-second': {
    source: `${store} (write path)`,
    behavior: 'Lazy records are synced within a second.',
  },
  'journal:first-error-ends-writing': {
    source: `${store} (first storage error)`,
    behavior:
      'After the first error nothing is acknowledged, waiting writers are rejected, the file is never synced again, reads go on.',
  },
  'journal:disk-full': {
    source: `${store} (first storage error)`,
    behavior:
      'A full volume: cut back, ballast given up, one record that says so, no new work; work resumes when space returns.',
  },
  'journal:read-only-volume': {
    source: `${store} (first storage error)`,
    behavior: 'On a read-only volume the journal opens read-only and serves reads.',
  },
  'journal:opening-table': { source: `${store} (opening)`, behavior: 'Each finding at an opening has its one action.' },
  'journal:never-cuts-damage': {
    source: `${store} (opening)`,
    behavior: 'Damage with valid lines after it, or before a checkpoint, is never cut.',
  },
  'journal:checkpoints-are-caches': {
    source: `${store} (all other files)`,
    behavior: 'A checkpoint may be deleted at any time without loss.',
  },
  'journal:epoch-counts-openings': {
    source: `${store} (single writer)`,
    behavior: 'Each opening writes under an epoch one higher; a stale one is refused.',
  },
  'journal:one-writer': {
    source: 'reliability-security 7',
    behavior: 'Of several starters exactly one gets the lock; the kernel frees it with the process.',
  },
  'journal:repair-leaves-a-gap': {
    source: `${store} (opening)`,
    behavior: 'A repair keeps every right line, says in a Gap record what is lost, and acts only when told.',
  },
  'journal:verify-locates': {
    source: 'reliability-security 7',
    behavior: 'Every mutation of a store is found and its sequence named.',
  },
  'journal:whole-is-verified': {
    source: `${store} (opening); reliability-security 7`,
    behavior: 'A store, an end of a store, a record or a checkpoint that is taken away is missed and named.',
  },
  'journal:read-ranges': {
    source: 'design 5',
    behavior: 'Stores are read by sequence, by time, merged by order, and followed as they grow.',
  },
  'journal:upcasts': {
    source: 'aesthetics 3',
    behavior: 'Older lines are read as the newest version of their kind.',
  },
  'journal:refuses-newer': {
    source: 'aesthetics 3',
    behavior: 'A program that reads a record of a newer one stops and names its file, its kind and what to do.',
  },
  'journal:secrets-replaced': {
    source: 'design 5',
    behavior: 'Secrets are replaced before anything is hashed or written.',
  },
  'journal:bad-input-loses-nothing': {
    source: 'aesthetics 3',
    behavior: 'An unknown kind or a payload against its schema is refused with a clear error; nothing is written.',
  },
  'journal:survives-power-loss': {
    source: 'reliability-security 1, 7',
    behavior:
      'After any crash all acknowledged records are there, nothing is invented, and opening twice changes nothing.',
  },
  'journal:bench-is-tested': {
    source: 'reliability-security 1',
    behavior: 'A store with a planted defect is caught by the power-loss test.',
  },
  'journal:survives-kill': {
    source: 'reliability-security 7',
    behavior: 'No acknowledged record is lost when the process is killed.',
  },
  'journal:every-io-error-handled': {
    source: 'reliability-security 7',
    behavior: 'Every failing call ends in success or in declared degradation; no failed sync is tried again.',
  },
  'journal:open-segment-in-place': {
    source: 'reliability-security 1',
    behavior:
      'A writer acknowledges nothing that it wrote into a file which is no longer the one in the directory; it stops and names the file.',
  },
  'journal:durable-and-fast': {
    source: 'reliability-security 7',
    behavior: 'Sixty-four appenders share their syncs.',
  },
  'journal:writer-place': {
    source: 'design 5',
    behavior: 'A process that sees the lock of a journal where its writer saw it knows whether that writer has ended.',
  },
} as const satisfies Requirements;
