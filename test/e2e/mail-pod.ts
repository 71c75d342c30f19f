/**
 * A provider of mail within the cluster: Dovecot for IMAP, and beside it a program that takes mails of those who log in and hands them to
 * Dovecot. Both speak TLS with an authority of their own.
 */
import { inject } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { makeCertificates } from '../support/certificates.ts';
import { loadDebianImage } from './cluster.ts';
import { READY_MS, type World } from './world.ts';

const NAME = 'mail';
const IMAGE = 'retainer.test/dovecot:bookworm';
const IMAPS_PORT = 10_993;
const SMTPS_PORT = 10_465;
const LMTP_PORT = 10_024;
/** Of the volume that both have. */
const ROOT = '/mail';
/** `nobody` and `nogroup` of Debian. */
const UID = 65_534;
/** Who checks letters for the agent: what it finds stands on top of each. */
export const PROVIDER = 'mx.mail.example';
/** The name of the Secret and of the ConfigMap that an Agent needs to reach it. */
const ACCESS = 'mail-access';
const AUTHORITY_KEY = 'ca.crt';

export const AGENT_ADDRESS = 'puppet@retainer.example';
export const ADA_ADDRESS = 'ada@people.example';

const CONFIG = `protocols = imap lmtp
listen = *
base_dir = ${ROOT}/run
state_dir = ${ROOT}/state
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
log_path = /dev/stderr
auth_failure_delay = 0
ssl = required
ssl_cert = </tls/tls.crt
ssl_key = </tls/tls.key
mail_location = maildir:~/Maildir
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${ROOT}/users
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${ROOT}/letters/%u
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${IMAPS_PORT}
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${LMTP_PORT}
  }
}
`;

/** SMTP as far as a client needs it that logs in with PLAIN, and LMTP as far as Dovecot does. A text goes on as it came. */
const SUBMISSION = String.raw`
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
const [port, lmtp, users] = process.argv.slice(2);
const isKnown = (user, password) => readFileSync(users, 'utf8').split('\n').includes(user + ':{PLAIN}' + password);

/** Hands on a text, one answer for each command. */
function handOn(from, to, text) {
  const steps = ['LHLO submission', 'MAIL FROM:<' + from + '>', ...to.map((it) => 'RCPT TO:<' + it + '>'), 'DATA', text, 'QUIT'];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(lmtp), '127.0.0.1');
    socket.on('error', reject);
    let said = '';
    socket.on('data', (piece) => {
      said += piece.toString('latin1');
      for (let end = said.indexOf('\r\n'); end !== -1; end = said.indexOf('\r\n')) {
        const line = said.slice(0, end);
        said = said.slice(end + 2);
        if (/^\d{3}-/.test(line)) continue;
        if (!/^[23]/.test(line)) return reject(new Error(line)), socket.destroy();
        const next = steps.shift();
        if (next === undefined) return socket.end(), resolve();
        socket.write(next + '\r\n', 'latin1');
      }
    });
  });
}

createServer({ key: readFileSync('/tls/tls.key'), cert: readFileSync('/tls/tls.crt') }, (socket) => {
  const state = { said: '', isIn: false, from: '', to: [], isText: false };
  const say = (line) => socket.write(line + '\r\n');
  const command = (line) => {
    const [, verb = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    const address = /<([^>]*)>/.exec(rest)?.[1] ?? '';
    switch (verb.toUpperCase()) {
      case 'EHLO': return say('250-mail\r\n250 AUTH PLAIN');
      case 'AUTH': {
        const [, user = '', password = ''] = Buffer.from(rest.replace(/^PLAIN /i, ''), 'base64').toString().split('\0');
        state.isIn = isKnown(user, password);
        return say(state.isIn ? '235 in' : '535 no');
      }
      case 'MAIL': state.from = address; state.to = []; return say(state.isIn ? '250 ok' : '530 log in');
      case 'RCPT': state.to.push(address); return say('250 ok');
      case 'DATA': state.isText = true; return say('354 go on');
      case 'QUIT': say('221 bye'); return socket.end();
      default: return say('250 ok');
    }
  };
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    state.said += piece.toString('latin1');
    for (;;) {
      const mark = state.isText ? '\r\n.\r\n' : '\r\n';
      const end = state.said.indexOf(mark);
      if (end === -1) return;
      const part = state.said.slice(0, end);
      state.said = state.said.slice(end + mark.length);
      if (!state.isText) { command(part); continue; }
      state.isText = false;
      handOn(state.from, state.to, part + '\r\n.').then(() => say('250 taken'), () => say('451 not now'));
    }
  });
  say('220 mail');
}).listen(Number(port));
`;

export interface MailPod {
  /** For spec.channels.email, without whom it lets write. */
  readonly email: Readonly<Record<string, unknown>>;
  /** Of its pod, for spec.pod.egressCidrs. */
  readonly cidr: string;
  /** The Secret and the ConfigMap that it names. */
  readonly access: readonly RenderedObject[];
  /** Puts a letter into the mailbox of the agent. */
  deliver(letter: string): Promise<void>;
  /** Whole letters, oldest first. */
  letters(address: string): Promise<readonly string[]>;
  /** From the next login on; ends the sessions of the agent. */
  changePassword(password: string): Promise<void>;
}

export async function startMailPod(world: World, namespace: string): Promise<MailPod> {
  const { cluster } = inject('installation');
  await loadDebianImage(cluster, IMAGE, { packages: ['dovecot-imapd', 'dovecot-lmtpd'], program: 'dovecot' });
  const host = `${NAME}.${namespace}.svc`;
  const certificates = makeCertificates(`DNS:${host}`);
  const password = `secret-of-${namespace}`;
  await world.apply(namespace, [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${NAME}-tls` },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.key': certificates.signed.key, 'tls.crt': certificates.signed.cert },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: NAME },
      data: { 'dovecot.conf': CONFIG, 'submission.mjs': SUBMISSION, users: usersText(password) },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME },
      spec: {
        selector: { app: NAME },
        ports: [
          { name: 'imaps', port: 993, targetPort: IMAPS_PORT },
          { name: 'smtps', port: 465, targetPort: SMTPS_PORT },
        ],
      },
    },
    pod(),
  ]);
  const { status } = await world.condition(namespace, ['pod', NAME], { type: 'Ready', status: 'True' }, READY_MS);
  const inPod = (...command: readonly string[]) =>
    world.kubectl.run(['exec', NAME, '-c', 'dovecot', '-n', namespace, '--', ...command]);
  const doveadm = (...args: readonly string[]) => inPod('doveadm', '-c', '/config/dovecot.conf', ...args);
  return {
    email: {
      ...{ address: AGENT_ADDRESS, imap: { host }, smtp: { host }, trustedAuthenticationService: PROVIDER },
      ...{ credentialsSecretRef: { name: ACCESS }, caConfigMapRef: { name: ACCESS, key: AUTHORITY_KEY } },
    },
    cidr: `${String(status?.['podIP'])}/32`,
    access: [
      credentials(password),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: ACCESS }, data: { [AUTHORITY_KEY]: certificates.ca } },
    ],
    deliver: async (letter) => {
      const text = Buffer.from(letter.replaceAll('\n', '\r\n')).toString('base64');
      const save = `printf %s "$1" | base64 -d | doveadm -c /config/dovecot.conf save -u "$2" -m INBOX`;
      await inPod('sh', '-c', save, 'sh', text, AGENT_ADDRESS);
    },
    letters: async (address) => {
      const said = await doveadm('-f', 'json', 'fetch', '-u', address, 'text', 'mailbox', 'INBOX');
      return (JSON.parse(said.trim() === '' ? '[]' : said) as readonly { readonly text: string }[]).map(
        (it) => it.text,
      );
    },
    changePassword: async (next) => {
      await inPod('sh', '-c', `printf %s "$1" >${ROOT}/users`, 'sh', usersText(next));
      await doveadm('kick', AGENT_ADDRESS);
    },
  };
}

/** The Secret that an Agent reads. */
export function credentials(password: string): RenderedObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: ACCESS },
    stringData: { username: AGENT_ADDRESS, password },
  };
}

const usersText = (password: string): string =>
  `${AGENT_ADDRESS}:{PLAIN}${password}\n${ADA_ADDRESS}:{PLAIN}of-a-person\n`;

function pod(): RenderedObject {
  const { tag } = inject('installation');
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const volumeMounts = [
    { name: 'config', mountPath: '/config', readOnly: true },
    { name: 'tls', mountPath: '/tls', readOnly: true },
    { name: 'mail', mountPath: ROOT },
  ];
  const isListening = (port: number) => ({ tcpSocket: { port }, periodSeconds: 1 });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, labels: { app: NAME } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: UID, runAsGroup: UID, fsGroup: UID },
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          ...{ name: 'dovecot', image: IMAGE, imagePullPolicy: 'Never', securityContext, volumeMounts },
          command: ['sh', '-c', `cp /config/users ${ROOT}/users && exec dovecot -F -c /config/dovecot.conf`],
          readinessProbe: isListening(IMAPS_PORT),
        },
        {
          ...{ name: 'submission', image: `docker.io/retainer/agent:${tag}`, securityContext, volumeMounts },
          args: ['/config/submission.mjs', String(SMTPS_PORT), String(LMTP_PORT), `${ROOT}/users`],
          readinessProbe: isListening(SMTPS_PORT),
        },
      ],
      volumes: [
        { name: 'config', configMap: { name: NAME } },
        { name: 'tls', secret: { secretName: `${NAME}-tls`, defaultMode: 0o440 } },
        { name: 'mail', emptyDir: {} },
      ],
    },
  };
}
