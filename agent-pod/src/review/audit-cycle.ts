/** One cycle in full, with the tree of its run, from a record or a copy of one. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { auditedStep, cycleParts, type CycleParts } from '@retainer/mind/explain/audit/cycle-audit';
import type { AuditedCycle } from '@retainer/mind/explain/audit/render-cycle';
import { nodesOf, type CycleNode } from '@retainer/mind/projections/cycle-nodes';
import { recordsOfRun } from './run-records.ts';
import { storyTeller } from './tell-records.ts';

export interface CycleAudit extends CycleParts, AuditedCycle<CycleNode> {
  readonly runId: string;
}

/** As many as one reads. */
const IDS_MAX = 20;

/** @param typed  id of a cycle, or its beginning. @returns why there is none, in a sentence */
export async function auditCycle(reader: JournalReader, typed: string): Promise<Result<CycleAudit, string>> {
  const found = findCycle(await cyclesIn(reader), typed);
  if (!found.ok) return found;
  const { id, runId } = found.value;
  const records = await recordsOfRun(reader, runId);
  const own = records.filter((record) => record.store === 'cycle' || record.store === 'archive').filter(isOf(id));
  const tell = storyTeller();
  const steps = records.flatMap((record) => {
    const told = tell(record);
    return isOf(id)(record) ? told.map((step) => auditedStep(step, record)) : [];
  });
  return ok({ id, runId, tree: nodesOf(records), ...cycleParts(own), steps });
}

interface NamedCycle {
  readonly id: string;
  readonly runId: string;
}

/** In the order of their beginning; the archiving of a run counts as one. */
async function cyclesIn(reader: JournalReader): Promise<readonly NamedCycle[]> {
  const found: NamedCycle[] = [];
  for (const store of ['cycle', 'archive'])
    for await (const { kind, cycleId, runId = '' } of reader.read(store)) {
      if (kind === 'CycleStarted' && cycleId !== undefined) found.push({ id: cycleId, runId });
      if (kind === 'ArchiveOpened') found.push({ id: archivingOf(runId), runId });
    }
  return found;
}

/** As `nodesOf` names it. */
function archivingOf(runId: string): string {
  return `${runId}-archive`;
}

function isOf(id: string): (record: JournalRecord) => boolean {
  return ({ store, cycleId, runId }) =>
    store === 'archive' ? archivingOf(runId ?? '') === id : store === 'cycle' && cycleId === id;
}

function findCycle(cycles: readonly NamedCycle[], typed: string): Result<NamedCycle, string> {
  const exact = cycles.find(({ id }) => id === typed);
  if (exact !== undefined) return ok(exact);
  const candidates = cycles.filter(({ id }) => id.startsWith(typed));
  const [only] = candidates;
  if (only === undefined) return err(`no cycle ${JSON.stringify(typed)}; the newest cycles: ${idsOf(cycles)}`);
  if (candidates.length > 1)
    return err(`${JSON.stringify(typed)} is the beginning of several cycle ids: ${idsOf(candidates)}`);
  return ok(only);
}

function idsOf(cycles: readonly NamedCycle[]): string {
  if (cycles.length === 0) return 'none';
  const more = cycles.length > IDS_MAX ? `, and ${cycles.length - IDS_MAX} older` : '';
  return `${cycles
    .slice(-IDS_MAX)
    .map(({ id }) => id)
    .join(', ')}${more}`;
}
