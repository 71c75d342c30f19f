import type { Requirements } from './requirement.ts';

export const journalRequirements = {
  'reliability-security 1 (record)': {
    'journal:line-round-trip': 'A record survives its line byte for byte; newlines only as escapes.',
    'journal:hash-covers-bytes': 'Any changed byte of a line is found by its hash, which covers tag, store and bytes.',
    'journal:blob-over-64-kib':
      'A larger payload moves to a content-addressed blob that is synced first; readers do not notice.',
  },
  'reliability-security 1 (first record)': {
    'journal:first-record':
      'The first record names store, agent, schema version and a nonce; its previous hash is zero.',
  },
  'reliability-security 1 (segments)': {
    'journal:segments-roll':
      'Segments roll by size and UTC day; the day never goes backwards; a sealed one ends in a footer with a Merkle root.',
  },
  'reliability-security 1 (write path)': {
    'journal:group-commit': 'What waits together is written and synced together; callers resolve after the sync.',
    'journal:lazy-within-a-second': 'Lazy records are synced within a second.',
  },
  'reliability-security 0': {
    'journal:short-writes': 'A write that takes a part only is continued; no torn record is acknowledged.',
  },
  'reliability-security 1 (first storage error)': {
    'journal:first-error-ends-writing':
      'After the first error nothing is acknowledged, waiting writers are rejected, the file is never synced again, reads go on.',
    'journal:disk-full':
      'A full volume: cut back, ballast given up, one record that says so, no new work; work resumes when space returns.',
    'journal:read-only-volume': 'On a read-only volume the journal opens read-only and serves reads.',
  },
  'reliability-security 1 (opening)': {
    'journal:noted-heads-compared':
      'A record that contradicts any head noted before is refused by whoever would write to it, and stays as it is.',
    'journal:repair-gives-up-forged':
      'A repair gives up what contradicts a head noted before, from the last head that fits, and records it as lost.',
    'journal:opening-table': 'Each finding at an opening has its one action.',
    'journal:never-cuts-damage': 'Damage with valid lines after it, or before a checkpoint, is never cut.',
    'journal:repair-leaves-a-gap':
      'A repair keeps every right line, says in a Gap record what is lost, and acts only when told.',
  },
  'reliability-security 1 (all other files)': {
    'journal:checkpoints-are-caches': 'A checkpoint may be deleted at any time without loss.',
  },
  'reliability-security 1 (single writer)': {
    'journal:epoch-counts-openings': 'Each opening writes under an epoch one higher; a stale one is refused.',
  },
  'reliability-security 7': {
    'journal:one-writer': 'Of several starters exactly one gets the lock; the kernel frees it with the process.',
    'journal:verify-locates': 'Every mutation of a store is found and its sequence named.',
    'journal:survives-kill': 'No acknowledged record is lost when the process is killed.',
    'journal:every-io-error-handled':
      'Every failing call ends in success or in declared degradation; no failed sync is tried again.',
    'journal:durable-and-fast': 'Sixty-four appenders share their syncs.',
  },
  'reliability-security 1 (opening); reliability-security 7': {
    'journal:whole-is-verified':
      'A store, an end of a store, a record or a checkpoint that is taken away is missed and named.',
  },
  'design 5': {
    'journal:said-once':
      'A long part that an acknowledged record of the same run said is written as its place, and read as it was said, by every reader.',
    'journal:missing-part':
      'A part that is not where its place says costs the record that names it, with store, sequence and place; no other.',
    'journal:read-ranges': 'Stores are read by sequence, by time, merged by order, and followed as they grow.',
    'journal:older-forms':
      'A record of an older version gets what it lacks where it is read, so that no decider, fold or teller knows an older form.',
    'journal:secrets-replaced': 'Secrets are replaced before anything is hashed or written.',
    'journal:writer-place':
      'A process that sees the lock of a journal where its writer saw it knows whether that writer has ended.',
  },
  'aesthetics 3': {
    'journal:upcasts': 'Older lines are read as the newest version of their kind.',
    'journal:refuses-newer':
      'A program that reads a record of a newer one stops and names its file, its kind and what to do.',
    'journal:bad-input-loses-nothing':
      'An unknown kind or a payload against its schema is refused with a clear error; nothing is written.',
  },
  'reliability-security 1, 7': {
    'journal:survives-power-loss':
      'After any crash all acknowledged records are there, nothing is invented, and opening twice changes nothing.',
  },
  'reliability-security 1': {
    'journal:bench-is-tested': 'A store with a planted defect is caught by the power-loss test.',
    'journal:open-segment-in-place':
      'A writer acknowledges nothing that it wrote into a file which is no longer the one in the directory; it stops and names the file.',
  },
} as const satisfies Requirements;
