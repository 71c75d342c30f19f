import { describe, expect, it } from 'vitest';
import type { BackupNote } from '@retainer/contract/api/backup-note';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { observedAgent } from '../../../../test/support/observed-agent.ts';
import { verifies } from '../../../../test/verifies.ts';
import { gitEgressFault } from '../../desired/agent/egress-needs.ts';
import { observeBackupNote } from '../../observe/observe-backup-note.ts';
import { observePod } from '../../observe/observe-agent-pod.ts';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import { backupLookMs, judgeBackup } from './backup-current.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2030-01-01T12:00:00Z');
const minutesAgo = (minutes: number): string => new Date(NOW_MS - minutes * MINUTE_MS).toISOString();
const podSince = (minutes: number) =>
  observePod({
    metadata: { name: 'retainer-meteorologist-0' },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: minutesAgo(minutes) }] },
  });

const remote = { url: 'https://git.example/agents/ada.git', branch: 'ada' };
const committed: BackupNote = { lastAt: minutesAgo(2) };
const pushed: BackupNote = { ...committed, pushedAt: minutesAgo(4) };

interface Seen {
  readonly note?: BackupNote | string;
  readonly gitRemote?: object;
  readonly stored?: object;
  readonly spec?: object;
  readonly over?: Partial<ObservedAgent>;
  /** The Lease was not read. */
  readonly isUnread?: true;
}

function seen({ gitRemote, stored = {}, spec = {}, over = {} }: Seen): ObservedAgent {
  const memory = gitRemote === undefined ? {} : { gitRemote };
  const observed = observedAgent({ memory: { storage: '2Gi', ...memory }, ...spec }, { pod: podSince(60), ...over });
  return { ...observed, root: { ...observed.root, status: stored } };
}

function judged(one: Seen) {
  const { note } = one;
  const text = typeof note === 'string' ? note : JSON.stringify(note);
  const annotations = note === undefined ? {} : { [ANNOTATIONS.backup]: text };
  const lease = one.isUnread ? undefined : { metadata: { name: 'x', annotations } };
  const observed = seen(one);
  const egressFault = gitEgressFault(observed.agent);
  return judgeBackup(observed, { note: observeBackupNote(lease), egressFault, nowMs: NOW_MS });
}

const standing = (reason: string, status = 'False') => ({
  conditions: [{ type: 'BackupCurrent', status, reason, message: 'as it was told', observedGeneration: 1 }],
});

type Row = readonly [name: string, seen: Seen, status: string, reason: string, message: RegExp];

const rows: readonly Row[] = [
  ['an agent that told nothing', {}, 'Unknown', 'NoBackupYet', /not told yet/],
  ['a note that cannot be read', { note: '{"lastAt":"yesterday"}' }, 'Unknown', 'NoBackupYet', /not told yet/],
  ['a commit, without a remote', { note: committed }, 'True', 'BackupCurrent', /on its own volume$/],
  ['a start without a commit', { note: {} }, 'Unknown', 'NoBackupYet', /not told yet/],
  [
    'a commit that waits for its first push',
    { note: committed, gitRemote: remote },
    'Unknown',
    'NoBackupYet',
    /not told/,
  ],
  ['a push', { note: pushed, gitRemote: remote }, 'True', 'BackupCurrent', /pushed to its remote$/],
  [
    'a new start after a push',
    { note: {}, gitRemote: remote, stored: { backup: pushed, ...standing('BackupCurrent', 'True') } },
    'True',
    'BackupCurrent',
    /pushed to its remote$/,
  ],
  [
    'a commit that the agent calls late',
    { note: { ...committed, trouble: 'CommitLate', unsavedSince: minutesAgo(16) } },
    'False',
    'BackupStale',
    /^no commit for over 3 intervals of spec\.memory\.gitCommitInterval; kubectl logs retainer-meteorologist-0 -c agent -n weather tells why$/,
  ],
  [
    'a commit that is late, and the agent calls it nothing',
    { note: { ...committed, unsavedSince: minutesAgo(16) } },
    'False',
    'BackupStale',
    /gitCommitInterval/,
  ],
  [
    'a commit that is not late yet',
    { note: { ...committed, unsavedSince: minutesAgo(15) } },
    'True',
    'BackupCurrent',
    /./,
  ],
  [
    'a late push',
    { note: { ...pushed, trouble: 'PushLate', unpushedSince: minutesAgo(50) }, gitRemote: remote },
    'False',
    'BackupStale',
    /^no push for over 3 intervals of spec\.memory\.gitRemote\.pushInterval; kubectl/,
  ],
  [
    'a push that is late, and the agent calls it nothing',
    { note: { ...pushed, unpushedSince: minutesAgo(46) }, gitRemote: remote },
    'False',
    'BackupStale',
    /pushInterval/,
  ],
  [
    'a push that is not late yet',
    { note: { ...pushed, unpushedSince: minutesAgo(45) }, gitRemote: remote },
    'True',
    'BackupCurrent',
    /./,
  ],
  [
    'a push that waits for commits which are rarer',
    {
      note: { ...pushed, unpushedSince: minutesAgo(46) },
      gitRemote: remote,
      spec: { memory: { storage: '2Gi', gitCommitInterval: '1h', gitRemote: remote } },
    },
    'True',
    'BackupCurrent',
    /./,
  ],
  [
    'another history',
    { note: { ...pushed, trouble: 'RemoteDiverged' }, gitRemote: remote },
    'False',
    'RemoteDiverged',
    /^branch ada of the remote has another history.*suspend one of the two; if the record was restored as of an older commit, or the branch is of somebody else, name a new branch in spec\.memory\.gitRemote\.branch/,
  ],
  [
    'another history of a remote that nobody names any more',
    { note: { ...pushed, trouble: 'RemoteDiverged' } },
    'True',
    'BackupCurrent',
    /on its own volume$/,
  ],
  [
    'authorities that are not there',
    {
      note: committed,
      gitRemote: { ...remote, caBundleRef: { name: 'company', key: 'ca.crt' } },
      over: { missingGitAuthorities: true },
    },
    'False',
    'ConfigMapNotFound',
    /^spec\.memory\.gitRemote\.caBundleRef: .*kubectl create configmap company --from-file=ca\.crt=FILE$/,
  ],
  [
    'ssh where the egress proxy is the only way',
    { note: committed, gitRemote: { url: 'git@git.example:agents/ada.git' }, spec: { pod: { egressProxy: true } } },
    'False',
    'EgressNotPossible',
    /egressCidrs/,
  ],
  [
    'ssh beside the egress proxy, to addresses that are named',
    {
      note: pushed,
      gitRemote: { url: 'git@git.example:agents/ada.git' },
      spec: { pod: { egressProxy: true, egressCidrs: ['192.0.2.7/32'] } },
    },
    'True',
    'BackupCurrent',
    /./,
  ],
  [
    'a Lease that was not read',
    { note: pushed, isUnread: true, stored: standing('BackupStale') },
    'False',
    'BackupStale',
    /^as it was told$/,
  ],
  ['a new Lease without a note', { stored: standing('RemoteDiverged') }, 'False', 'RemoteDiverged', /^as it was told$/],
  [
    'a suspended agent',
    { note: pushed, spec: { suspend: true }, stored: standing('BackupStale') },
    'False',
    'BackupStale',
    /^as it was told$/,
  ],
  [
    'an agent that is not at work',
    { note: pushed, over: { pod: undefined }, stored: standing('BackupCurrent', 'True') },
    'True',
    'BackupCurrent',
    /^as it was told$/,
  ],
  [
    'a word of a newer operator',
    { isUnread: true, stored: standing('BackupSuperb', 'True') },
    'Unknown',
    'NoBackupYet',
    /not told yet/,
  ],
];

describe('BackupCurrent', () => {
  for (const [name, one, status, reason, message] of rows)
    verifies('operator-agent:backup-current', `of ${name} is ${status} ${reason}`, () => {
      const { condition } = judged(one);
      expect(condition).toMatchObject({
        ...{ type: 'BackupCurrent', status, reason },
        message: expect.stringMatching(message),
      });
    });

  verifies('operator-agent:backup-current', 'tells moments, as they stand until something happens', () => {
    const note: BackupNote = { ...pushed, unpushedSince: minutesAgo(50), trouble: 'PushLate' };
    expect(judged({ note, gitRemote: remote }).backup).toEqual({ ...pushed, unpushedSince: minutesAgo(50) });
    expect(judged({ note: committed, stored: { backup: { ...pushed, unsavedSince: minutesAgo(9) } } }).backup).toEqual(
      pushed,
    );
    expect(judged({ stored: { backup: pushed } }).backup).toEqual(pushed);
    expect(judged({}).backup).toBeUndefined();
  });
});

describe('the next look at the Lease', () => {
  const lookMs = (interval: string, stored: object, minutes: number) => {
    const { root, agent } = seen({ stored });
    const memory = { ...agent.spec.memory, gitCommitInterval: interval };
    return backupLookMs({ root, agent: { ...agent, spec: { ...agent.spec, memory } }, pod: podSince(minutes) }, NOW_MS);
  };

  it('comes after the interval of commits, not sooner than a minute', () => {
    expect(lookMs('5m', standing('BackupCurrent', 'True'), 60)).toBe(300_000);
    expect(lookMs('1s', standing('BackupCurrent', 'True'), 60)).toBe(60_000);
    expect(lookMs('5m', {}, 60)).toBe(300_000);
  });

  it('comes after a minute while a young agent has made no copy', () => {
    expect(lookMs('5m', {}, 1)).toBe(60_000);
    expect(lookMs('5m', standing('BackupCurrent', 'True'), 1)).toBe(300_000);
  });
});
