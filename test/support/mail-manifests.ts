/** Manifests of a scripted agent with mail, for the mail server of the tests. */
import { agentManifest } from './asking-manifests.ts';
import { AGENT, type MailServer } from './mail-server.ts';

/** Whose results the agent believes: letters of the tests are not signed. */
export const RESULTS_OF = 'mx.retainer.example';

/** @param more  of `channels.email`, as YAML lines that are indented by six */
export function agentWithMail(server: Pick<MailServer, 'host' | 'imapPort' | 'smtpPort'>, more = ''): string {
  const { host, imapPort, smtpPort } = server;
  return `${agentManifest}  channels:
    email:
      address: ${AGENT.address}
      imap: {host: ${host}, port: ${imapPort}}
      smtp: {host: ${host}, port: ${smtpPort}}
      credentialsSecretRef: {name: ada-mail}
      caConfigMapRef: {name: ada-mail-ca, key: ca.pem}
      trustedAuthenticationService: ${RESULTS_OF}
${more}`;
}

/** The authority of the server, as people put it into a ConfigMap. */
export function authorityManifest({ ca }: Pick<MailServer, 'ca'>): string {
  return `
apiVersion: v1
kind: ConfigMap
metadata: {name: ada-mail-ca}
data:
  ca.pem: |
${ca.replaceAll(/^/gm, '    ').trimEnd()}
`;
}

/** Of the agent itself; nothing of them stands in a manifest. */
export const credentialVariables = {
  RETAINER_MAIL_USERNAME: AGENT.address,
  RETAINER_MAIL_PASSWORD: AGENT.password,
} as const;

export interface WrittenLetter {
  readonly from: string;
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  /** The Message-ID of the mail that it answers. */
  readonly inReplyTo?: string;
  /** What the provider of the agent found out about the sender; absent: it is who it says. */
  readonly results?: 'pass' | 'fail';
}

/** As the mail program of a person writes it, with what the provider of the agent adds on top. */
export function letterOf({ from, messageId, subject, text, inReplyTo, results = 'pass' }: WrittenLetter): string {
  const domain = from.replace(/^.*@/, '');
  const answers = inReplyTo === undefined ? [] : [`In-Reply-To: <${inReplyTo}>`, `References: <${inReplyTo}>`];
  return [
    `Authentication-Results: ${RESULTS_OF}; dmarc=${results} header.from=${domain}`,
    `From: <${from}>`,
    `To: <${AGENT.address}>`,
    `Message-ID: <${messageId}>`,
    `Subject: ${subject}`,
    'Date: Mon, 30 Nov 2026 09:00:00 +0000',
    ...answers,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...text.split('\n'),
    '',
  ].join('\r\n');
}
