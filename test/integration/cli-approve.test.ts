/** A call waits for a person who is not there: the program ends and is started again, and continues from its record. */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentManifest, characterManifest, taskManifest, writeManifests } from '../support/asking-manifests.ts';
import { endAll, retainer, startRetainer } from '../support/retainer-command.ts';
import { oneStepRule } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');

const consult = `  authority: {consult: [{id: notes-need-leave, description: Notes need leave., paths: ["notes/**"]}]}
`;

const objects = [
  characterManifest(consult),
  agentManifest,
  taskManifest('note', 'intent: Write a note.'),
  taskManifest('after', 'intent: Say hello., dependsOn: [{name: note}]'),
].join('---');

const script = `
version: 1
rules:${oneStepRule}
  - name: write
    when: {task: 'Your task:\\n  .*rite a note', results: [{min: 0, max: 0}]}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: done
    answer: {text: done}
`;

beforeAll(() => writeManifests(manifests, objects, script));
afterAll(() => {
  endAll();
  return root.remove();
});

/** Runs with nobody at a terminal until the call waits for a person. */
async function stoppedAtApproval(
  data: string,
): Promise<{ readonly request: string; readonly code: number | null; readonly told: string }> {
  const { code, stdout } = await retainer('run', '-f', manifests, '--data', data);
  const [request = ''] = await pendingOf(data);
  return { request, code, told: stdout.replaceAll(/\s+/g, ' ') };
}

async function pendingOf(data: string): Promise<readonly string[]> {
  const { stdout } = await retainer('approve', '--data', data, '-o', 'json');
  return (JSON.parse(stdout) as readonly { readonly requestId: string }[]).map(({ requestId }) => requestId);
}

interface InboxLine {
  readonly principal: string;
  readonly payload: { readonly command: { readonly type: string; readonly by?: string } };
}

function linesOf(stdout: string): readonly InboxLine[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as InboxLine);
}

describe('retainer approve', () => {
  verifies(
    'cli:approve-exact-arguments',
    'lets the run go on after a stop, and the record says who and why',
    async () => {
      const data = join(root.path, 'approved');
      const { request, code, told } = await stoppedAtApproval(data);
      expect(code).toBe(10);
      expect(told).toContain('AWAITING APPROVAL note');
      expect(told).toContain('effect: writes the file "notes/a.md"');
      expect(told).toContain(`retainer approve ${request} --data ${data} --reason`);
      expect(told).toContain('NOT STARTED after it depends on note, which waits for a person');
      expect((await retainer('approve', '--data', data)).stdout).toMatch(/write_file \(effect class \d\), .* left/);
      expect((await retainer('approve', request, '--data', data)).code).toBe(1);
      expect((await retainer('approve', request, '--data', data, '--reason', 'read it')).code).toBe(0);
      const resumed = await retainer('run', '-f', manifests, '--data', data);
      expect(resumed.stderr).toMatch(/note: run note-[0-9a-f]+ continues from its record/);
      expect(resumed.code).toBe(0);
      expect(await readFile(join(data, 'workspace/notes/a.md'), 'utf8')).toBe('hello');
      const { stdout } = await retainer('explain', 'note', '--data', data);
      expect(stdout).toContain(`${userInfo().username} approved c1-t1-a: read it`);
      const shown = await retainer(
        'journal',
        'show',
        data,
        '--store',
        'inbox',
        '--kind',
        'CommandAccepted',
        '-o',
        'json',
      );
      const [decided] = linesOf(shown.stdout).filter((it) => it.payload.command.type === 'DecideApproval');
      expect(decided).toMatchObject({
        principal: `human:${userInfo().username}`,
        payload: { command: { by: userInfo().username, knownBy: { how: 'OsUser', uid: userInfo().uid } } },
      });
      for (const directory of ['spool', 'outbox', 'workspace'])
        expect((await stat(join(data, directory))).mode & 0o777, directory).toBe(0o700);
      expect(stdout).toContain('taken up after 1 restart');
      expect((await retainer('replay', 'note', '--data', data)).code).toBe(0);
      expect((await retainer('approve', '--data', data)).stdout).toContain('no call waits for a person');
    },
  );

  it('takes a decision from the manifest of the Task, and only for the arguments that were shown', async () => {
    const data = join(root.path, 'decided');
    const own = join(root.path, 'decided-manifests');
    const { request } = await stoppedAtApproval(data);
    const list = await retainer('approve', '--data', data, '-o', 'json');
    const [{ argumentsDigest } = { argumentsDigest: '' }] = JSON.parse(list.stdout) as readonly {
      argumentsDigest: string;
    }[];
    const decided = (digest: string): string =>
      objects.replace(
        'intent: Write a note.',
        `intent: Write a note., approvals: [{request: ${request}, argumentsDigest: "sha256:${digest}", decision: Approve, reason: read it, by: "human:ada"}]`,
      );
    await writeManifests(own, decided('0'.repeat(64)), script);
    const waiting = startRetainer(['run', '-f', own, '--data', data, '--watch']);
    await waiting.says('continues from its record');
    expect(await pendingOf(data)).toEqual([request]);
    waiting.child.kill('SIGINT');
    expect((await waiting.ended).code).toBe(130);
    await writeFile(join(own, 'all.yaml'), decided(argumentsDigest));
    const { code, stderr } = await retainer('run', '-f', own, '--data', data);
    expect(stderr).toMatch(/[^:]ada approved/);
    expect(code).toBe(0);
  });

  it('cancels what the manifest cancels, and starts nothing for it', async () => {
    const data = join(root.path, 'cancelled-by-manifest');
    const own = join(root.path, 'cancelled-manifests');
    await stoppedAtApproval(data);
    const cancelled = objects.replace('intent: Write a note.', 'intent: Write a note., cancel: true');
    await writeManifests(own, cancelled.replace('dependsOn: [{name: note}]', 'cancel: true'), script);
    const { code, stdout } = await retainer('run', '-f', own, '--data', data);
    expect(stdout).toMatch(/CANCELLED {2}note.*\n +because cancelled by manifest: spec\.cancel is set/);
    expect(stdout).toMatch(/CANCELLED {2}after\n +not started, because its spec\.cancel is set/);
    expect(code).toBe(2);
  });

  it('denies: the run is refused, and what depends on it does not start', async () => {
    const data = join(root.path, 'denied');
    const { request } = await stoppedAtApproval(data);
    await retainer('approve', request, '--deny', '--reason', 'not today', '--data', data);
    const { code, stdout } = await retainer('run', '-f', manifests, '--data', data);
    expect(stdout).toMatch(/REFUSED {2}note/);
    expect(stdout).toContain('rule approval/denied');
    expect(stdout).toMatch(/NOT STARTED {2}after\n +it depends on note, which ended Refused/);
    expect(code).toBe(2);
  });

  it('cancels a run that is not wanted any more', async () => {
    const data = join(root.path, 'cancelled');
    await stoppedAtApproval(data);
    expect((await retainer('cancel', 'note', '--reason', 'changed my mind', '--data', data)).code).toBe(0);
    const { code, stdout } = await retainer('run', '-f', manifests, '--data', data);
    expect(stdout).toMatch(/CANCELLED {2}note/);
    expect(stdout).toContain('changed my mind');
    expect(code).toBe(2);
    expect((await retainer('cancel', 'note', '--reason', 'again', '--data', data)).code).toBe(1);
  });

  it('takes a new Task from changed manifests while it watches', async () => {
    const data = join(root.path, 'watched');
    const own = join(root.path, 'watched-manifests');
    await mkdir(own);
    const [character = '', agent = '', , after = ''] = objects.split('---');
    await writeFile(join(own, 'script.yaml'), script);
    await writeFile(join(own, 'agent.yaml'), `${character}---${agent}`);
    const watching = startRetainer(['run', '-f', own, '--data', data, '--watch']);
    await watching.says('watching the manifests');
    await writeFile(join(own, 'broken.yaml'), after.replace('dependsOn', 'dependOn'));
    await watching.says('did you mean dependsOn?');
    await writeFile(join(own, 'broken.yaml'), after.replace(', dependsOn: [{name: note}]', ''));
    await watching.says('watching the manifests', 2);
    watching.child.kill('SIGTERM');
    const { code, stdout } = await watching.ended;
    expect(stdout).toMatch(/SUCCEEDED {2}after/);
    expect(code).toBe(0);
  });

  verifies('cli:awaits-nobody', 'ends again as long as nobody has decided, and asks nothing twice', async () => {
    const data = join(root.path, 'undecided');
    const [first, second] = [await stoppedAtApproval(data), await stoppedAtApproval(data)];
    expect([first.code, second.code]).toEqual([10, 10]);
    expect(second.request).toBe(first.request);
    const { stdout } = await retainer('journal', 'show', data, '--store', 'cycle', '--kind', 'ApprovalRequested');
    expect(stdout.match(/ApprovalRequested/g)).toHaveLength(1);
  });

  verifies('cli:watch-beside-work', 'takes a decision from changed manifests while the call waits', async () => {
    const data = join(root.path, 'decided-beside');
    const own = join(root.path, 'decided-beside-manifests');
    await writeManifests(own, objects, script);
    const watching = startRetainer(['run', '-f', own, '--data', data, '--watch']);
    await watching.says('waits for a person: write_file');
    const list = await retainer('approve', '--data', data, '-o', 'json');
    const [pending] = JSON.parse(list.stdout) as readonly { requestId: string; argumentsDigest: string }[];
    const approval = `{request: ${pending?.requestId}, argumentsDigest: "sha256:${pending?.argumentsDigest}", decision: Approve, reason: read it, by: ada}`;
    const decided = objects.replace('intent: Write a note.', `intent: Write a note., approvals: [${approval}]`);
    await writeFile(join(own, 'all.yaml'), decided);
    await watching.says('watching the manifests');
    await writeFile(join(own, 'all.yaml'), decided.replace('intent: Say hello.', 'intent: Say goodbye.'));
    await watching.says('watching the manifests', 2);
    watching.child.kill('SIGTERM');
    const { code, stdout } = await watching.ended;
    expect(stdout.match(/SUCCEEDED {2}after/g)).toHaveLength(2);
    expect(stdout.match(/SUCCEEDED {2}note/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  verifies('cli:watch-beside-work', 'takes a cancellation from changed manifests while the call waits', async () => {
    const data = join(root.path, 'cancelled-beside');
    const own = join(root.path, 'cancelled-beside-manifests');
    await writeManifests(own, objects, script);
    const watching = startRetainer(['run', '-f', own, '--data', data, '--watch']);
    await watching.says('waits for a person: write_file');
    const cancelled = objects.replace('intent: Write a note.', 'intent: Write a note., cancel: true');
    await writeFile(join(own, 'all.yaml'), cancelled);
    await watching.says('watching the manifests');
    watching.child.kill('SIGTERM');
    const { code, stdout } = await watching.ended;
    expect(stdout).toMatch(/CANCELLED {2}note/);
    expect(stdout).toMatch(/NOT STARTED {2}after/);
    expect(code).toBe(2);
  });

  verifies(
    'cli:ends-after-an-error',
    'ends with 4 and the message when the record cannot be read any more',
    async () => {
      const data = join(root.path, 'lost');
      const own = join(root.path, 'lost-manifests');
      await writeManifests(own, objects.replace('intent: Write', 'intent: Do not write'), script);
      const watching = startRetainer(['run', '-f', own, '--data', data, '--watch']);
      await watching.says('waits for a person: write_file');
      await rename(join(data, 'journal/run'), join(data, 'run-elsewhere'));
      await writeFile(join(own, 'all.yaml'), objects.replace('intent: Write', 'cancel: true, intent: Do not write'));
      const { code, stderr } = await watching.ended;
      // Whoever needs the directory first says it: the reader, or the writer of a record that is due just then.
      expect(stderr).toMatch(/ENOENT|the file in the directory is not the open one/);
      expect(code).toBe(4);
    },
  );
});
