import { openAgent, type OpenAgentOptions, type OpenedAgent } from '@retainer/agent-pod/open-agent';
import { agentDefinition } from './agents.ts';
import { unavailableSandbox } from './unavailable-sandbox.ts';

type Given = Pick<OpenAgentOptions, 'dataDirectory' | 'model'> & Partial<OpenAgentOptions>;

/** The usual agent of a test, without a sandbox. What keeps it from opening, and every fault, fails the test. */
export async function openedAgent(options: Given): Promise<OpenedAgent> {
  const opened = await openAgent({
    definition: agentDefinition(),
    secrets: [],
    sandbox: unavailableSandbox,
    onFault: (error) => {
      throw error;
    },
    ...options,
  });
  if (!opened.ok) throw new Error(opened.error.join('\n'));
  return opened.value;
}
