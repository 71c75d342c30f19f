/** The configuration of the agent as its record has it, and so without secrets. */
import type { Clock } from '@retainer/contract/std/clock';
import { openJournalReader } from '@retainer/journal/open-reader';

export interface RecordedConfiguration {
  /** `NAMESPACE/NAME`. */
  readonly agent: string;
  /** By the name of its file. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

const MEMBERS = ['agent', 'character', 'skills'] as const;

/** The newest one. A record has none if no agent ever started in it. */
export async function recordedConfiguration(directory: string, clock: Clock): Promise<RecordedConfiguration> {
  const reader = await openJournalReader({ directory, clock });
  let agent = 'unknown';
  for await (const { payload } of reader.read('system')) {
    const { agentUid } = payload as { readonly agentUid?: unknown };
    if (typeof agentUid === 'string' && !/\s/.test(agentUid)) agent = agentUid;
    break;
  }
  let newest: Readonly<Record<string, unknown>> = {};
  for await (const { kind, payload } of reader.read('agent'))
    if (kind === 'Configured') newest = payload as Readonly<Record<string, unknown>>;
  return {
    agent,
    configuration: Object.fromEntries(MEMBERS.flatMap((name) => (name in newest ? [[name, newest[name]]] : []))),
  };
}
