import type { Agent } from '@retainer/contract/api/agent';
import type { SandboxLanguage } from '../ports/sandbox-run.ts';
import type { AgentSettings } from './agent-settings.ts';

/** What each cycle is told of the agent, beside its record. */
export interface Preamble {
  /** Its name and the version of the program. */
  readonly agent: string;
  readonly spec: Agent['spec'];
  /** Of the code that it may run; empty: none. */
  readonly languages: readonly string[];
  /** `spec.memory.recall.preambleChars`. */
  readonly charactersMax: number;
}

/** @param isolated  languages whose code the sandbox can isolate. @param version  of the program */
export function preambleOf(
  { metadata, spec }: Agent,
  { sandbox, preambleCharacters }: AgentSettings,
  isolated: readonly SandboxLanguage[],
  version: string,
): Preamble {
  const languages = sandbox.enabled ? isolated.filter((it) => sandbox.languages.includes(it)) : [];
  const agent = `${metadata.namespace}/${metadata.name}, retainer ${version}`;
  return { agent, spec, languages, charactersMax: preambleCharacters };
}
