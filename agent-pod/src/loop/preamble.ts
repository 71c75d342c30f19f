import type { Agent } from '@retainer/contract/api/agent';
import { PREAMBLE_CHARACTERS_MIN } from '@retainer/contract/api/agent-memory';
import type { Place } from '@retainer/mind/assemble/curator/view';

/** What each cycle is told of the agent, beside its record. */
export interface Preamble {
  /** Its name and the version of the program. */
  readonly agent: string;
  readonly spec: Agent['spec'];
  /** Absent: the record is of a program that did not know it. */
  readonly place: Place | undefined;
  /** `spec.memory.recall.preambleChars`, at least PREAMBLE_CHARACTERS_MIN. */
  readonly charactersMax: number;
  readonly factHalfLifeDays: number;
}

/** @param version  of the program */
export function preambleOf({ metadata, spec }: Agent, place: Place | undefined, version: string): Preamble {
  const { recall, halfLifeDays } = spec.memory;
  const agent = `${metadata.namespace}/${metadata.name}, retainer ${version}`;
  const charactersMax = Math.max(recall.preambleChars, PREAMBLE_CHARACTERS_MIN);
  return { agent, spec, place, charactersMax, factHalfLifeDays: halfLifeDays.facts };
}
