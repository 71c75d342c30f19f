/** Manifests of a scripted agent with mail, for the mail server of the tests. */
import { agentManifest } from './asking-manifests.ts';
import { PROVIDER } from './mail-life.ts';
import { AGENT, type MailServer } from './mail-server.ts';

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
      trustedAuthenticationService: ${PROVIDER}
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
