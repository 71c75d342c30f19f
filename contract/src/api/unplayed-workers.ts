/** The workers that an Agent does not have. */
import type { Agent } from './agent.ts';
import { allowsTool } from './agent-tools.ts';
import { ROLES, WORKER_ROLES, type WorkerRole } from './roles.ts';

type AgentSpec = Agent['spec'];

/** Whether the settings offer a tool that a worker needs. */
const offered: Readonly<Record<(typeof ROLES)[WorkerRole]['needs'], (spec: AgentSpec) => boolean>> = {
  fetch_url: ({ tools }) => tools.fetch.enabled,
  run_code: ({ sandbox }) => sandbox.enabled,
  introspect: () => true,
  schedule_reminder: () => true,
  create_endeavour: () => true,
  send_email: ({ channels }) => channels.email !== undefined,
};

/** Those that are turned off, or whose necessary tool the Agent does not have: no plan may name them. */
export function unplayedWorkers(spec: AgentSpec): readonly WorkerRole[] {
  return WORKER_ROLES.filter((name) => {
    const { needs } = ROLES[name];
    const isOff = spec.specialists.overrides.some((it) => it.name === name && !it.enabled);
    return isOff || !offered[needs](spec) || !allowsTool(spec.tools, needs);
  });
}
