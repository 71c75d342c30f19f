/** The exit codes of the agent's process, which the operator reads from its container. Source: sysexits.h. */
export const AGENT_EXIT_CODES = {
  drained: 0,
  /** A bug, or a journal that accepts no records. */
  bug: 70,
  /** Another process holds the Lease or the volume of this agent, or may hold it. The next start finds out. */
  anotherWriter: 75,
  configuration: 78,
} as const;
