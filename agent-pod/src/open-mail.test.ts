import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ANSWERING } from '../../test/support/mail-life.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import { expect } from 'vitest';
import { agentDefinition, inTemporaryDirectory, scripted } from '../../test/support/agents.ts';
import { mailDirectAccess } from '../../test/support/mail-access.ts';
import { verifies } from '../../test/verifies.ts';
import { openServers } from './mail/open-servers.ts';
import { openAgent, type OpenAgentOptions } from './open-agent.ts';
import { APPROVAL_KEY_FILE } from './parts/mail/approval-codes.ts';

async function optionsAt(dataDirectory: string): Promise<OpenAgentOptions> {
  const server = { host: 'mail.invalid' };
  const email = {
    ...{ address: 'ada@agents.example', imap: server, smtp: server, credentialsSecretRef: { name: 'mail' } },
    allowedSenders: ['ann@people.example'],
  };
  const definition = agentDefinition({ channels: { email } });
  const parsed = definition.agent.spec.channels.email;
  if (parsed === undefined) throw new Error('the Agent has mail');
  return {
    ...{ definition, dataDirectory, secrets: [], model: await scripted(ANSWERING) },
    mailServers: openServers(parsed, mailDirectAccess({ ca: '' }, systemClock)),
    onFault: (error) => {
      throw error;
    },
  };
}

verifies('mail-approvals:key', 'A key that others can read lets no agent start, and leaves its directory free', () =>
  inTemporaryDirectory(async (directory) => {
    const key = join(directory, APPROVAL_KEY_FILE);
    await writeFile(key, Buffer.alloc(32));
    await chmod(key, 0o644);
    const options = await optionsAt(directory);
    await expect(openAgent(options)).rejects.toThrow('can be read by others');
    await chmod(key, 0o600);
    const opened = await openAgent(options);
    expect(opened.ok).toBe(true);
    if (opened.ok) await opened.value.close();
  }),
);
