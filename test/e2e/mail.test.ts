/** Mail on a cluster: a letter begins a run whose code runs in a sandbox, and its sender gets one answer, under the NetworkPolicies. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { ADA_ADDRESS, AGENT_ADDRESS, credentials, PROVIDER, startMailPod, type MailPod } from './mail-pod.ts';
import { code, PUPPET, puppetObjects } from './puppet.ts';
import { retainer } from './retainer-program.ts';
import { SANDBOX_NAMESPACE, TASK_MS, World, type ClusterObject } from './world.ts';

const world = new World();
/** A minute until the kubelet has a new Secret, one until a login is tried again, and one until the operator looks. */
const TOLD_MS = 300_000;
let namespace = '';
let mail: MailPod;

beforeAll(async () => {
  namespace = await world.namespace('mail');
  mail = await startMailPod(world, namespace);
  const email = { ...mail.email, allowedSenders: [ADA_ADDRESS], allowedRecipients: [ADA_ADDRESS] };
  await world.apply(namespace, [
    ...mail.access,
    ...puppetObjects({
      memory: { storage: '1Gi', gitCommitInterval: '1m' },
      channels: { email },
      pod: { terminationGracePeriodSeconds: 10, egressCidrs: [mail.cidr] },
    }),
  ]);
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
});
afterAll(() => world.close());

const place = (): readonly string[] => ['-n', namespace, '--agent', PUPPET];

/** A letter as a provider delivers it, with its results on top. */
function letter(from: string, id: string, text: string): string {
  const domain = from.slice(from.indexOf('@') + 1);
  return [
    `Authentication-Results: ${PROVIDER}; dkim=pass header.d=${domain}; dmarc=pass header.from=${domain}`,
    `From: ${from}`,
    `To: ${AGENT_ADDRESS}`,
    'Subject: Please count',
    `Message-ID: <${id}>`,
    `Date: ${new Date().toUTCString()}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    '',
  ].join('\n');
}

interface ToldMail {
  readonly incoming: { readonly state: string; readonly reason?: string; readonly way?: string };
  readonly held: number;
}

interface ToldEvent {
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

/** `status.mail`, once it is so. */
function told(what: string, isSo: (mail: ToldMail) => boolean): Promise<ToldMail> {
  const look = async () => {
    const { status } = await world.get('agent', PUPPET, namespace);
    const found = status?.['mail'] as ToldMail | undefined;
    return found !== undefined && isSo(found) ? found : undefined;
  };
  return world.until(`status.mail with ${what}`, look, TOLD_MS, namespace);
}

describe('a letter', () => {
  verifies(
    'e2e:mail',
    'begins a run whose code runs in a sandbox, and its sender gets one threaded answer',
    async () => {
      await mail.deliver(
        letter(ADA_ADDRESS, 'first@people.example', code('bash', 'echo the answer is $((6 * 7)) at $(uname -n).')),
      );
      const answers = await world.until(
        'an answer',
        async () => {
          const found = await mail.letters(ADA_ADDRESS);
          return found.length > 0 ? found : undefined;
        },
        2 * TASK_MS,
        namespace,
      );
      expect(answers).toHaveLength(1);
      const [answer = ''] = answers;
      expect(answer).toMatch(/^In-Reply-To: <first@people\.example>/im);
      expect(answer).toMatch(/^References: <first@people\.example>/im);
      expect(answer).toMatch(/^Auto-Submitted: auto-replied/im);
      expect(answer).toMatch(new RegExp(`^From: .*${AGENT_ADDRESS}`, 'im'));
      // The host of every sandbox, and of nothing else.
      expect(answer).toMatch(/the answer is 42 at\s+sandbox\./);
      const events = await world.kubectl.list<ToldEvent>('events', '-n', SANDBOX_NAMESPACE);
      const jobs = events.filter(({ involvedObject: { kind, name } }) => kind === 'Job' && name.startsWith('run-'));
      expect(jobs.length).toBeGreaterThan(0);
      expect(await world.kubectl.list<ClusterObject>('tasks', '-n', namespace)).toEqual([]);
    },
    4 * TASK_MS,
  );

  verifies(
    'e2e:mail',
    'of a stranger begins nothing, is listed, and begins a run when a person releases it',
    async () => {
      await mail.deliver(letter('eve@stranger.example', 'second@stranger.example', 'REMEMBER garden/color = teal'));
      expect(await told('a letter that is held', ({ held }) => held === 1)).toMatchObject({
        incoming: { state: 'Up', way: 'Idle' },
      });
      const held = await retainer('mail', 'held', ...place());
      expect(held, held.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('eve@stranger.example') });
      const [, id = ''] = /^(m-[0-9a-f]+)/m.exec(held.stdout) ?? [];
      const shown = await retainer('mail', 'show', id, ...place());
      expect(shown, shown.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('garden/color') });
      const released = await retainer('mail', 'release', id, '--reason', 'I know her', ...place());
      expect(released, released.stderr).toMatchObject({ code: 0 });
      await told('no letter that is held', (it) => it.held === 0);
    },
    2 * TOLD_MS,
  );
});

describe('the mail of an agent', () => {
  verifies(
    'e2e:mail',
    'is told as ready, then by the word for a wrong password, and heals with a new Secret',
    async () => {
      await world.condition(namespace, ['agent', PUPPET], { type: 'MailReady', status: 'True' }, TOLD_MS);
      await mail.changePassword('another-password');
      const wrong = { type: 'MailReady', status: 'False', reason: 'LoginRefused' };
      const { status } = await world.condition(namespace, ['agent', PUPPET], wrong, TOLD_MS);
      const { message } = status?.conditions?.find(({ type }) => type === 'MailReady') ?? {};
      expect(message).toContain('spec.channels.email.credentialsSecretRef');
      expect(message).not.toContain('password-of');
      const isReady = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(isReady).toMatchObject({ status: 'True' });
      const pod = await world.get('pod', `retainer-${PUPPET}-0`, namespace);
      await world.apply(namespace, [credentials('another-password')]);
      await world.condition(namespace, ['agent', PUPPET], { type: 'MailReady', status: 'True' }, TOLD_MS);
      // Without a restart.
      expect((await world.get('pod', `retainer-${PUPPET}-0`, namespace)).metadata.uid).toBe(pod.metadata.uid);
    },
    3 * TOLD_MS,
  );
});
