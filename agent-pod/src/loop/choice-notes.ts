/** What choices of addresses told each site: looked up for an answer's calls, and recorded before a call runs. */
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { keepsInstructions } from '@retainer/mind/cycle/read-texts';
import type { CycleState } from '@retainer/mind/cycle/state';
import { asksOutside } from '@retainer/mind/gate/provenance/flow-policies';
import { CHOICE_BITS_MAX } from '@retainer/mind/gate/provenance/choice-budget';
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
 * Counts what a call will tell its server, and writes it into the record. To be awaited before the server learns it.
 *
 * The verdict on the call counted what was spent when its answer came. Cycles beside it may have spent more since then, so the
 * budget is compared once more, in the same step that counts.
 *
 * @returns why the call may not be made; nothing is counted then
 */
export async function noteChoice(
  { callId, choice, approvalId }: Extract<CycleEvent, { kind: 'ToolRequested' }>,
  { runId, cycleId }: Pick<Permit, 'runId' | 'cycleId'>,
  { oversight, journal, clock }: Parts,
): Promise<string | undefined> {
  if (choice === undefined || choice.bits === 0) return undefined;
  const { site, bits } = choice;
  const nowMs = clock.nowMs();
  const spent = oversight.choicesSpent(nowMs)[site] ?? 0;
  if (approvalId === undefined && bits > 0 && spent + bits > CHOICE_BITS_MAX)
    return `other work of the agent has meanwhile told ${site} so much by the choice of addresses that a person is asked first; ask for the address again if it is still needed`;
  const payload = { callId, site, bits };
  oversight.chose(payload, nowMs);
  await journal.append([{ store: 'agent', kind: 'ChoiceSpent', principal: 'agent', payload, runId, cycleId }]);
  return undefined;
}
