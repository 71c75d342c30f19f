/** What choices of addresses told each site: looked up for an answer's calls, and recorded before a call runs. */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { keepsInstructions } from '@retainer/mind/cycle/read-texts';
import type { CycleState } from '@retainer/mind/cycle/state';
import { asksOutside } from '@retainer/mind/gate/provenance/flow-policies';
import type { Permit } from '../ports/tool.ts';
import type { CycleParts } from './cycle-driver.ts';

type Parts = Pick<CycleParts, 'config' | 'oversight' | 'journal' | 'clock'>;

/** @returns by tool; undefined where the choice of an address tells nothing */
export function choicesSpentBefore(
  { spec }: CycleState,
  { config, oversight }: Parts,
  atMs: number,
): (tool: string) => Readonly<Record<string, number>> | undefined {
  return (tool) =>
    keepsInstructions(spec) && asksOutside(config.catalog.known.factsOf(tool))
      ? oversight.choicesSpent(atMs)
      : undefined;
}

/**
 * Counts at once what the call will tell its server, so that no other cycle spends it as well.
 *
 * @returns writes it into the record; to be awaited before the server learns it
 */
export function noteChoice(
  { callId, choice }: Extract<CycleEvent, { kind: 'ToolRequested' }>,
  { runId, cycleId }: Pick<Permit, 'runId' | 'cycleId'>,
  { oversight, journal, clock }: Parts,
): () => Promise<unknown> {
  if (choice === undefined || choice.bits === 0) return () => Promise.resolve();
  const payload = { callId, site: choice.site, bits: choice.bits };
  oversight.chose(payload, clock.nowMs());
  return () => journal.append([{ store: 'agent', kind: 'ChoiceSpent', principal: 'agent', payload, runId, cycleId }]);
}
