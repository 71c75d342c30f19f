/** Renders the accountability map as a table for each run, and what it lacks. */
import { alignedRows, renderCost, renderCount, renderPlural, shortDigest } from '../figures.ts';
import type { StoryLine } from '../../part/story.ts';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { shownAddress } from '../../gate/provenance/mail-address.ts';
import {
  findingsIn,
  type AccountRow,
  type Approved,
  type Decided,
  type Wanted,
  type WantingJob,
  type WantingLetter,
} from './account-row.ts';
import type { Check } from './checks.ts';

export const MAP_HEAD = ['effect', 'wanted by', 'decided by', 'approved by', 'checked by', 'cost'] as const;

/** An empty cell of an ended run. */
export const EMPTY = 'NOBODY';
/** An empty cell of a run that is under way. */
const OPEN = 'open';

/** Between two columns. */
const GAP = '  ';

export interface MapText {
  readonly runId: string;
  /** Of the run, in a line. */
  readonly title: string;
  /** The cells of each row, in the order of {@link MAP_HEAD}. */
  readonly rows: readonly { readonly row: AccountRow; readonly cells: readonly string[] }[];
}

/** The rows of each run together, in their order. */
export function mapTexts(rows: readonly AccountRow[]): readonly MapText[] {
  const byRun = new Map<string, AccountRow[]>();
  for (const row of rows) {
    const runId = row.wanted?.runId ?? '';
    byRun.set(runId, [...(byRun.get(runId) ?? []), row]);
  }
  return [...byRun].map(([runId, own]) => ({
    runId,
    title: titleOf(runId, own),
    rows: own.map((row) => ({ row, cells: cellsOf(row, shortener(runId)) })),
  }));
}

function titleOf(runId: string, [first]: readonly AccountRow[]): string {
  const wanted = first?.wanted;
  if (wanted === undefined) return 'of runs whose admission is not in the record';
  const source = wanted.source === undefined ? '' : ` (${wanted.source})`;
  const overrules = wanted.overrules === undefined ? '' : `, overrules ${wanted.overrules}`;
  if (wanted.job !== undefined) return `Run ${runId}: ${jobText(wanted.job)}`;
  if (wanted.letter !== undefined) return `Run ${runId}: ${letterText(wanted.letter)}`;
  return `Run ${runId}: Task ${wanted.task}, given by ${wanted.principal ?? EMPTY}${source}${overrules}`;
}

const SOURCE_WORDS: Readonly<Record<NonNullable<WantingJob['maker']>['source'], string>> = {
  Manifest: 'by the manifest',
  Task: 'by the schedule of a Task',
  Tool: 'by a tool',
  FollowUp: 'as a follow-up',
};

function jobText({ jobId, momentMs, maker, madeFor }: WantingJob): string {
  const head = `job ${jobId}, for ${utcMinute(momentMs)}, made by`;
  if (maker === undefined) return `${head} ${EMPTY}`;
  const who = maker.kind === 'Person' ? 'people' : 'the agent';
  const run = maker.runId === undefined ? '' : `, in run ${maker.runId}`;
  const wanted = madeFor === undefined ? '' : ` of ${reasonText(madeFor)}`;
  return `${head} ${who} ${SOURCE_WORDS[maker.source]} (job/${maker.seq})${run}${wanted}`;
}

function reasonText({ task, job, letter }: Wanted): string {
  if (letter !== undefined) return `letter ${letter.letterId}`;
  return job === undefined ? `Task ${task}` : `job ${job.jobId}`;
}

function letterText({ letterId, writer, let: how }: WantingLetter): string {
  const head = `letter ${letterId}, written by`;
  if (writer === undefined) return `${head} ${EMPTY}`;
  const { from, authentication, seq } = writer;
  const released = how?.kind === 'Released' ? `, released by ${how.by ?? EMPTY}` : '';
  return `${head} ${shownAddress(from)} (mail/${seq}), known by ${KNOWN_BY[authentication.method]}${released}`;
}

const KNOWN_BY: Readonly<Record<NonNullable<WantingLetter['writer']>['authentication']['method'], string>> = {
  Results: 'the provider',
  Dkim: 'DKIM',
  Arc: 'ARC',
  None: 'nothing',
};

export function renderMap(rows: readonly AccountRow[]): readonly StoryLine[] {
  if (rows.length === 0) return [{ tone: 'Plain', text: 'nothing was changed or delivered' }];
  const texts = mapTexts(rows);
  const findings = findingsIn(rows);
  return [
    ...texts.flatMap((it) => [...tableOf(it), { tone: 'Plain' as const, text: '' }]),
    ...findings.map(findingLine),
    {
      tone: findings.length === 0 ? 'Good' : 'Bad',
      text: `${renderPlural(rows.length, 'effect')}, ${renderCount(findings.length)} without a full row`,
    },
  ];
}

function tableOf({ title, rows }: MapText): readonly StoryLine[] {
  const [head = '', ...lines] = alignedRows([MAP_HEAD, ...rows.map(({ cells }) => cells)], GAP);
  return [
    { tone: 'Plain', text: title },
    { tone: 'Quiet', text: `  ${head}` },
    ...rows.map(({ row }, at): StoryLine => ({ tone: toneOf(row), text: `  ${lines[at] ?? ''}` })),
  ];
}

function toneOf({ missing, isOpen }: AccountRow): StoryLine['tone'] {
  if (missing.length === 0) return 'Plain';
  return isOpen ? 'Warning' : 'Bad';
}

function findingLine({ store, seq, id, missing }: AccountRow): StoryLine {
  const empty = missing.map(({ column, why }) => `${column}: ${why}`).join('; ');
  return { tone: 'Bad', text: `store ${store}, sequence ${seq}: ${id}: ${empty}` };
}

/** Ids without the run's own, which is in the title. */
function shortener(runId: string): (id: string) => string {
  return (id) => (runId !== '' && id.startsWith(`${runId}-`) ? id.slice(runId.length + 1) : id);
}

function cellsOf(row: AccountRow, shortId: (id: string) => string): readonly string[] {
  const { wanted, decided, approved, checked, isOpen } = row;
  const empty = isOpen ? OPEN : EMPTY;
  return [
    effectText(row, shortId),
    wanted === undefined ? empty : wantedText(wanted, shortId),
    decided === undefined ? empty : `${decidedText(decided)}${isDoubted(row) ? ` (${empty})` : ''}`,
    approved === undefined ? empty : approvedText(approved),
    checked === undefined ? empty : checkedText(checked, shortId),
    costText(row.cost),
  ];
}

function effectText({ id, what, effectClass, end }: AccountRow, shortId: (id: string) => string): string {
  return `${shortId(id)} ${what}${effectClass === undefined ? '' : ` (class ${effectClass})`} ${end}`;
}

/** There is a verdict, but it does not let the effect happen. */
function isDoubted({ missing }: AccountRow): boolean {
  return missing.some(({ column }) => column === 'decided');
}

function wantedText({ cycleId, role, job, letter }: Wanted, shortId: (id: string) => string): string {
  if (cycleId !== undefined) return `${role ?? 'unknown'} in ${shortId(cycleId)}`;
  if (letter !== undefined) return 'the letter';
  return job === undefined ? 'the Task' : 'the job';
}

function costText({ tokens, costUsd, isComplete, sharedBy }: AccountRow['cost']): string {
  const shared = sharedBy === 1 ? '' : `, for ${renderPlural(sharedBy, 'call')}`;
  return `${renderCount(tokens)} tokens, ${renderCost(costUsd, isComplete)}${shared}`;
}

function decidedText({ verdict, rule, rules, characterDigest }: Decided): string {
  const version = rules === undefined ? '' : ` of rules ${rules}`;
  return `${verdict} by ${rule}${version}, character ${shortDigest(characterDigest)}`;
}

function approvedText(approved: Approved): string {
  if (approved.kind === 'NotNeeded') return 'not needed';
  return approved.isClaimed === true ? `${approved.by}, as they say` : approved.by;
}

function checkedText(check: Check, shortId: (id: string) => string): string {
  if (check.kind === 'NotWanted') return 'no criteria in the Task';
  if (check.kind === 'NoResult') return 'it reports no result';
  const { by, met, criteria, subtaskId, attempt, citedBy } = check;
  const where =
    subtaskId === undefined ? '' : ` on ${shortId(subtaskId)}${attempt === undefined ? '' : ` attempt ${attempt}`}`;
  const cited = citedBy.length === 0 ? '' : `, evidence for ${citedBy.join(', ')}`;
  return `${by}${where}: ${met} of ${criteria} met${cited}`;
}
