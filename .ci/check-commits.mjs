/**
 * Checks every commit after the one that `.ci/commits-from` names: a short subject, a body with the reason, and a size that a
 * reviewer can read. Prints one line for each fault and exits with 1.
 *
 * Fails without the history: a check that skips itself would approve commits that it never saw.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Characters. What `git log --oneline` shows beside a hash on half a screen. */
const SUBJECT_LENGTH_MAX = 60;
/** What a reviewer reads in a day. Lines of files that `.gitattributes` marks as generated, and moved lines, do not count. */
const ADDED_LINES_MAX = 3000;
/** Paths of one commit, many times over. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

const git = (args, input = '') =>
  execFileSync('git', args, {
    input,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['pipe', 'pipe', 'ignore'],
  });

function succeeds(args) {
  try {
    git(args);
    return true;
  } catch {
    return false;
  }
}

/** `[path, lines added]` of each file of a commit; a renamed file has the lines that changed on the way. */
function additions(hash) {
  // Without a limit of renames: above the one of git, a moved folder would be a new one.
  const output = git(['diff-tree', '-r', '--root', '--no-commit-id', '--numstat', '-M', '-l0', '-z', hash]);
  const parts = output.split('\0');
  const found = [];
  while (parts.length > 1) {
    const [added, , path] = parts.shift().split('\t');
    const renamed = path === '' ? parts.splice(0, 2) : [];
    found.push([renamed[1] ?? path, Number(added) || 0]);
  }
  return found;
}

function generatedAmong(paths) {
  const fields = git(['check-attr', '-z', '--stdin', 'linguist-generated'], paths.join('\0')).split('\0');
  return new Set(paths.filter((_, index) => ['set', 'true'].includes(fields[3 * index + 2])));
}

function faultsOf(hash) {
  const [subject = '', body = ''] = git(['show', '--no-patch', '--format=%s%x00%b', hash]).split('\0');
  const files = additions(hash);
  const generated = generatedAmong(files.map(([path]) => path));
  const added = files.reduce((sum, [path, lines]) => sum + (generated.has(path) ? 0 : lines), 0);
  const length = Array.from(subject).length;
  const faults = [];
  if (length > SUBJECT_LENGTH_MAX) faults.push(`its subject has ${length} characters, not ${SUBJECT_LENGTH_MAX}`);
  if (body.trim() === '') faults.push('it has no body that says why');
  if (added > ADDED_LINES_MAX) faults.push(`it adds ${added} lines by hand, not ${ADDED_LINES_MAX}`);
  return faults.map((fault) => `${hash.slice(0, 10)} ${subject}: ${fault}`);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const from = readFileSync('.ci/commits-from', 'utf8').trim();
if (!succeeds(['merge-base', '--is-ancestor', from, 'HEAD'])) {
  stop(`commits: ${from} of .ci/commits-from is not in the history of HEAD; in a shallow clone: git fetch --unshallow`);
}
const commits = git(['rev-list', '--reverse', `${from}..HEAD`])
  .split('\n')
  .filter(Boolean);
const faults = commits.flatMap(faultsOf);
if (faults.length > 0) stop(faults.join('\n'));
process.stdout.write(
  `${commits.length} commits since ${from.slice(0, 10)}: short subjects, reasons, no flood of lines\n`,
);
