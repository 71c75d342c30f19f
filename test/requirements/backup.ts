import type { Requirements } from './requirement.ts';

export const backupRequirements = {
  'design 5 (git); reliability-security 1 (git is the second copy)': {
    'backup:append-only':
      'A commit adds what came into the record since the last one, in pieces of at most 1 MiB that end with a line; a piece never changes, and no byte of a segment is added twice.',
  },
  'reliability-security 7 (backup restores)': {
    'backup:restores':
      'A directory restored from a commit, or as of a time, has the record of that moment byte for byte, verifies against the heads of the commit and of an auditor, opens, and goes on.',
    'backup:restore-refused':
      'A target that is not empty, an unknown commit, a damaged repository and heads that do not fit are refused by name with an exit code, and nothing is left behind.',
    'backup:while-written':
      'A commit that is made while the record is written holds what a power loss at that moment could have left.',
  },
  'design 5 (git); reliability-security 7 (backup restores)': {
    'e2e:second-copy':
      'On a cluster, the pod of an agent has the copy of a run soon after its end, and git and ssh to push it.',
  },
  'design 5 (unknown effects are flagged, never repeated); reliability-security 7 (backup restores)': {
    'backup:lost-machine':
      'What was pushed is fetched on an empty machine, verified and byte-equal in replay; the individual is the same, nothing is done twice, and what came after the push is all that is lost.',
    'backup:rejoined':
      'A repository that began anew goes on from the history at the remote, where this record has all that is there; another life is not passed over.',
    'backup:restored-told':
      'The first record after a restoring says from which commit, as of when, with which heads and by whom; the individual is the same.',
    'backup:held-back':
      'A run that was open in a restored record, a Task that had not begun in it, and a Task that began in another record wait until a person lets them go on.',
  },
  'reliability-security 1 (git: reading and diffing); design 5 (git)': {
    'backup:same-commits':
      'The same record, committed at the same places, gives the same commits: author, date and message come from it.',
    'backup:told-in-git': 'git log names what happened, git blame on the page of a day names the commit of each line.',
    'backup:idle': 'Where nothing has changed, no process of git is started.',
  },
  'reliability-security 7 (git copy is sound)': {
    'backup:synced': 'Each commit syncs its objects, their index and the reference.',
    'backup:killed-at-any-call':
      'A commit or a push of which a program of git, or the process itself, is killed at any system call changes no byte of the record, leaves both repositories whole, and is made up for by the next.',
    'backup:killed':
      'A commit that is killed anywhere leaves a repository that a strict fsck accepts, and the next commit makes up for it; a repository that cannot be read is set aside, and a new one begins.',
  },
  'reliability-security 1 (git: hooks path empty)': {
    'backup:nothing-foreign':
      'No hook, no configuration and no attribute of the system, the user, the environment, the repository or the workspace steers a commit or a push; a workspace that holds repositories comes back as it was.',
  },
  'reliability-security 7 (injection cannot cause effects); design 5': {
    'backup:secrets-stay-out':
      'Workspace files with a known secret in any form, links and files over 10 MiB are left out of a commit, which says so; the configuration is the one in the record.',
  },
  'reliability-security 7 (secrets stay out)': {
    'backup:no-secret-anywhere':
      'No object of the repository holds a secret of the environment or of a mounted file, plain, in base64, as in URLs or as in JSON, wherever the agent got it from.',
  },
  'reliability-security 1 (git is the second copy)': {
    'backup:failure-told':
      'A git that is missing, locked, without space or in use is told by its reason and tried again; it costs neither a record nor a run.',
    'backup:not-in-the-way':
      'No failure of a commit or a push ends or delays a run: it is told once, counted, and shown as the age of the backup. A volume that takes no new tasks gets no commit.',
  },
  'design 3 (gitCommitInterval, gitRemote); reliability-security 7 (off-box lag)': {
    'backup:in-time':
      'A commit is made after each interval, soon after a run ended, and when the agent stops; a push after each of its own; a failure is tried again, later each time.',
  },
  'design 3 (gitRemote)': {
    'backup:pushed':
      'The commits stand at the remote as they do here; password and key are in no argument, environment, log or file that stays; the history of a remote is never overwritten.',
    'backup:local-credentials':
      'Without a cluster, the credentials of the remote come from the environment, or from files in a directory that it names, and never from both; what the files hold is known as a secret.',
    'backup:password-on-a-pipe':
      'A password goes from the agent through a pipe to the program of git that asks for it, and on to the server of the remote: no other process, no file and no proxy gets it; one that is refused is not sent again.',
  },
  'design 3 (gitRemote); reliability-security 7 (git copy is sound)': {
    'backup:diverged':
      'A remote to which somebody else pushed is told once and keeps what it has; nothing more is pushed there until the program starts again, and commits go on.',
  },
  'reliability-security 7 (off-box lag)': {
    'backup:lag':
      'Of each copy it is known since when a record is not in it; it is late after three intervals, and current again with the next success. Metrics show it.',
    'backup:in-record':
      'The record says once when a copy becomes late and when it is current again, and a restart knows it; a record that takes no more is told, and ends nothing.',
    'backup:on-lease':
      'On a cluster the Lease says how the copies stand, with its regular renewals and no request beside them; at rest its words do not change.',
  },
  'reliability-security 7 (off-box lag); springdrift 3': {
    'backup:in-state':
      'A cycle and `retainer state` are told of a copy that is late, and for seven days from which commit the record was restored; of copies that are current, nothing.',
  },
  'design 3 (gitRemote); reliability-security 1 (git is the second copy)': {
    'e2e:restored-in-place':
      'On a cluster, people list and verify the copy of an agent, and a restoring in place gives a suspended agent what its copy has, as the same individual; a running agent is refused.',
    'e2e:remote-copy':
      'On a cluster, the copy of a run gets to a remote over HTTPS with its own authority; a missing ConfigMap and a remote with another history are told in BackupCurrent, and nothing there is overwritten.',
  },
  'design 3 (gitRemote.caBundleRef)': {
    'backup:authorities':
      'A push over HTTPS trusts the authorities that the Agent names in spec.memory.gitRemote.caBundleRef, or NODE_EXTRA_CA_CERTS on a machine, beside the usual ones; a certificate of another authority is refused by that name, and a missing ConfigMap by its field.',
  },
  'design 5 (git: retainer backup log, diff, show, verify)': {
    'backup:named':
      'A commit is named by its id or the beginning of it, by a moment, or by the order of a record, and by nothing the newest one; a name that fits none says why, and what would fit.',
    'backup:shown':
      'One commit is told whole: when, what happened, the runs that ended, its orders, and the records and files that it added.',
    'backup:verified':
      'A commit is verified on any machine without the agent: every object, the chain, its heads and those of an auditor, with the exit codes of a record; a fault names commit and place, and nothing stays behind.',
    'backup:clone-verified':
      'journal verify of a clone, bare or checked out, verifies its commit; no command takes the pieces in a clone for a record.',
    'backup:in-place':
      'A commit is restored in place on the volume of a suspended agent, from its own repository or from elsewhere; what was there is moved aside and never deleted, and nobody writes the record meanwhile.',
    'backup:in-place-cut-off':
      'A restoring in place that is cut off anywhere is finished by the next call for the same commit, and by none for another one; no agent starts before that, and what came in the way meanwhile is moved aside.',
    'backup:in-place-whose':
      'A volume takes no commit of another agent, and none of another individual unless a person names it.',
    'backup:fetched':
      'A directory is restored from a remote over HTTP, by ssh, or of a file address: its password is shown nowhere and typed nowhere, and an unreachable remote, a wrong password and a branch that is not there are told by name.',
  },
  'design 5 (git)': {
    'backup:difference':
      'What came between two commits is told by store and kind, with each record, and the files that changed.',
  },
} as const satisfies Requirements;
