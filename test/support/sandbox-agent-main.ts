/** An agent that runs or serves one script in a sandbox, or looks one up, and says what came of it: to be killed in the middle. */
import { systemClock } from '@retainer/contract/std/system-clock';
import { HttpsClient } from '@retainer/kube/https-client';
import { sandboxAgent, sandboxRequest, serveRequest } from './sandbox-agent.ts';

const [verb, url = '', directory = '', workspace = '', script = '', port = ''] = process.argv.slice(2);
const client = new HttpsClient({
  connection: {
    server: new URL(url),
    namespace: 'default',
    credentials: async () => ({ headers: { authorization: 'Bearer ada' }, tls: {} }),
  },
  clock: systemClock,
  userAgent: 'ada/test',
});
const sandbox = sandboxAgent({ client, directory, servedMax: 1 });
const never = new AbortController().signal;
const verbs: Readonly<Record<string, () => Promise<unknown>>> = {
  run: () => sandbox.run(sandboxRequest(workspace, script), never),
  lookup: () => sandbox.lookup('call-1'),
  serve: async () => sandbox.serving?.serve(serveRequest(workspace, script, Number(port)), never),
};
const result = await verbs[verb ?? '']?.();
process.stdout.write(`${JSON.stringify(result ?? null)}\n`);
process.exit(0);
