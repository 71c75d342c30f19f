/** `retainer work`: what an agent plans for itself, items and endeavours, and a person's word about it. */
import { workIn, workStoryOf, type WorkStory } from '@retainer/agent-pod/review/work-records';
import { workRows, workTable } from '@retainer/agent-pod/review/work-rows';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { systemClock } from '@retainer/contract/std/system-clock';
import { alignedRows, renderPlural } from '@retainer/mind/explain/figures';
import { isEnded } from '@retainer/mind/parts/work/item';
import type { Work } from '@retainer/mind/parts/work/work-state';
import { askRecord, type AskedRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { exitCodes } from '../exit-codes.ts';
import { leaveWord, type PersonsWord } from '../leave-word.ts';
import { listedIds } from '../listed-ids.ts';
import type { OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { typedCommand } from '../typed-command.ts';

export interface WorkFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export interface WorkListFlags extends WorkFlags {
  readonly all?: true;
}

export interface WorkChangeFlags extends WorkFlags {
  readonly reason: string;
}

export function listCommand(flags: WorkListFlags): Promise<number> {
  const isAll = flags.all === true;
  const command = { words: ['work', 'list', ...(isAll ? ['--all'] : [])] };
  return askRecord(flags, command, async ({ output, directory, reader }) => {
    const work = await workIn(reader);
    const { items, ended, endeavours, over } = work;
    output.data({
      endeavours: [...endeavours.values(), ...(isAll ? over.values() : [])],
      items: [...items.values(), ...(isAll ? ended.values() : [])],
    });
    const table = workTable(work, systemClock.nowMs(), isAll);
    const count = table.length - 1;
    for (const row of count === 0 ? [] : alignedRows(table, '  ')) output.line(row);
    const closed = isAll ? 0 : ended.size + over.size;
    output.line(
      `${renderPlural(count, 'entry', 'entries')}${closed === 0 ? '' : `; ${closed} ended with --all`}`,
      'Quiet',
    );
    if (count > 0) output.line(`look at one with: ${typedCommand('work show ID', directory)}`, 'Quiet');
    return exitCodes.done;
  });
}

export function showCommand(id: string, flags: WorkFlags): Promise<number> {
  return askRecord(flags, { words: ['work', 'show'], arguments: [id] }, async ({ output, directory, reader }) => {
    const story = await find(reader, id);
    if (!story.ok) return refuse(output, story.error);
    output.data(story.value);
    output.line(story.value.id);
    for (const row of alignedRows(workRows(story.value, systemClock.nowMs()), '  ')) output.line(`  ${row}`);
    for (const command of commandsFor(story.value)) output.line(`  ${typedCommand(command, directory)}`, 'Quiet');
    return exitCodes.done;
  });
}

/** What may be typed next. */
function commandsFor({ id, item, tombstone }: WorkStory): readonly string[] {
  if (tombstone !== undefined) return [];
  const abandon = item === undefined || isEnded(item) ? [] : [`work abandon ${id} --reason TEXT`];
  return [...abandon, `work delete ${id} --reason TEXT`];
}

export function abandonCommand(id: string, flags: WorkChangeFlags): Promise<number> {
  return changing('abandon', id, flags, ({ id: itemId, item }) => {
    if (item === undefined) return err('is an endeavour: its items are abandoned one by one');
    if (isEnded(item)) return err(`has ended already: ${item.status}`);
    return ok({ word: { type: 'AbandonWorkItem', itemId, reason: flags.reason }, told: 'will be abandoned' });
  });
}

export function deleteCommand(id: string, flags: WorkChangeFlags): Promise<number> {
  return changing('delete', id, flags, ({ id: found }) =>
    ok({ word: { type: 'DeleteWork', id: found, reason: flags.reason }, told: 'will be deleted; the record keeps it' }),
  );
}

type Wanted = (story: WorkStory) => Result<{ readonly word: PersonsWord; readonly told: string }, string>;

/** Leaves a person's word for the agent, if the record lets it mean something. */
function changing(word: string, id: string, flags: WorkChangeFlags, wanted: Wanted): Promise<number> {
  const { reason } = flags;
  const command = { words: ['work', word, `--reason=${reason}`], arguments: [id], tells: true } as const;
  return askRecord(flags, command, async ({ output, directory, reader }) => {
    if (reason.trim() === '') return refuse(output, '--reason must say why: it is recorded');
    const story = await find(reader, id);
    if (!story.ok) return refuse(output, story.error);
    const { id: found, tombstone } = story.value;
    if (tombstone !== undefined) return refuse(output, `${found} was deleted by ${tombstone.by}: ${tombstone.reason}`);
    const change = wanted(story.value);
    if (!change.ok) return refuse(output, `${found} ${change.error}`);
    output.data(await leaveWord(directory, change.value.word));
    output.line(`${found} ${change.value.told}; the agent reads this when it runs`, 'Good');
    return exitCodes.done;
  });
}

/** @param typedId  an id, or the beginning of one */
async function find(reader: AskedRecord['reader'], typedId: string): Promise<Result<WorkStory, string>> {
  const exact = await workStoryOf(reader, typedId);
  if (exact !== undefined) return ok(exact);
  const ids = idsOf(await workIn(reader));
  const candidates = ids.filter((id) => id.startsWith(typedId));
  const [only] = candidates;
  if (candidates.length > 1)
    return err(`${JSON.stringify(typedId)} is the beginning of several ids: ${listedIds(candidates)}`);
  const story = only === undefined ? undefined : await workStoryOf(reader, only);
  return story === undefined ? err(`no work ${JSON.stringify(typedId)}; work: ${listedIds(ids)}`) : ok(story);
}

/** Open ones first. */
function idsOf({ items, ended, endeavours, over, deleted }: Work): readonly string[] {
  return [endeavours, items, over, ended, deleted].flatMap((it) => [...it.keys()]);
}
