// Violates no-restricted-imports: the command line opens an agent; it does not drive one.
import { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';

export const runtime = (): unknown => AgentRuntime;
