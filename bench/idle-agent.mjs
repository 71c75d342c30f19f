/**
 * Opens the built agent on a data directory, waits until it is at rest, and prints what that took.
 * `node idle-agent.mjs DIRECTORY [MILLISECONDS]`: then it rests for so long, and prints the processor time of that, too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAgent } from '@retainer/agent-pod/open-agent';
import { processLog } from '@retainer/kube/process-log';
import { systemClock } from '@retainer/contract/std/system-clock';
import { Agent } from '@retainer/contract/api/agent';
import { CharacterSpec } from '@retainer/contract/api/character-spec';

const apiVersion = 'retainer.dev/v1alpha1';
const spec = { characterRef: { name: 'careful' }, models: { provider: 'Scripted', script: 'script.yaml' } };
const agent = Agent.parse({ apiVersion, kind: 'Agent', metadata: { name: 'ada' }, spec });
const character = CharacterSpec.parse({
  apiVersion,
  kind: 'CharacterSpec',
  metadata: { name: 'careful' },
  spec: {
    persona: 'A careful analyst.',
    virtues: [],
    highestEndeavour: [{ id: 'truth', description: 'Tell the truth.', level: 'EthicalMoral', operator: 'Required' }],
    authority: {},
  },
});
const model = { name: 'none', infer: () => Promise.reject(new Error('not asked')) };
// As in a pod: what the log takes is memory of the agent.
processLog({ clock: systemClock, level: 'error' })({ level: 'info', message: 'the agent starts' });
const opened = await openAgent({
  definition: { agent, character, skills: [] },
  dataDirectory: process.argv[2],
  model,
  secrets: [],
  onFault: (error) => {
    throw error;
  },
});
if (!opened.ok) throw new Error(opened.error.join('\n'));
const readyMs = performance.now();
await sleep(2_000);
const before = process.cpuUsage();
await sleep(Number(process.argv[3] ?? 0));
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  JSON.stringify({ readyMs, rssBytes: process.memoryUsage.rss(), restCpuMs: (user + system) / 1_000 }),
);
await opened.value.close();
