/**
 * The accountability map: for each effect, who wanted it, who decided by which rule and version, who approved it, who checked it and
 * what it took. A fold over the records of an agent, in their order.
 *
 * I1  Every call of effect class 1 or higher and every delivery has one row, in the order of the record; no other has one.
 * I2  A cell is filled from a record that names the effect by its id and, if there is one, by the digest of its arguments. What no
 *     record says stays empty, and the row names the empty cell.
 * I3  A row of a run that is under way is open: what is empty there may still come, so it is no finding.
 *
 * Source: design 1 (a decision that cannot be reconstructed did not happen properly); springdrift 13.
 */
import { isReached } from '@retainer/contract/api/task-status';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { CycleEvent } from '../../cycle/event.ts';
import type { RunEvent, RunEventOf } from '../../run/event.ts';
import type { AccountRow, Approved, Decided, Wanted } from './account-row.ts';
import { checkOfCall, checkOfDelivery, type Judgement } from './checks.ts';
import { fromTable, type EventTable } from '../../part/event-table.ts';
import { eventOf } from '../../part/projection.ts';
import { learnWish, unwantedBy, type Wishes } from './wishes.ts';
import { CallCosts, costOfRun, type EffectCost } from './effect-costs.ts';

/** Stores that the fold reads. */
export const MAP_STORES = ['agent', 'inbox', 'job', 'mail', 'run', 'cycle'] as const;

/** Class from which a call changes something. Source: artoo C. */
const EFFECT_CLASS_MIN = 1;

/** A row before its run has ended: what decides the other cells may still come. */
interface Draft extends Pick<AccountRow, 'kind' | 'id' | 'what' | 'effectClass' | 'store' | 'seq' | 'atMs'> {
  readonly cycleId?: string;
  readonly decided?: Decided;
  readonly approved?: Approved;
  readonly missing: AccountRow['missing'];
  readonly cost: EffectCost;
  readonly body?: RunEventOf<'DeliveryRequested'>['body'];
}

interface Verdict {
  readonly decided: Decided;
  readonly argumentsDigest: string | undefined;
  /** The approval that it rests on. */
  readonly approvalId: string | undefined;
}

type Approval = Pick<
  Extract<CycleEvent, { kind: 'ApprovalDecided' }>,
  'argumentsDigest' | 'decision' | 'by' | 'reason' | 'knownBy'
>;

/** What is known of a run until it is closed. */
interface RunAccount {
  readonly wanted: Wanted | undefined;
  readonly characterDigest: string;
  readonly hasCriteria: boolean;
  readonly drafts: Draft[];
  /** Role, subtask and attempt of each cycle. */
  readonly cycles: Map<string, RunEventOf<'CycleRequested'>['purpose'] & { readonly worker?: string }>;
  readonly verdicts: Map<string, Verdict>;
  /** The newest of the output gate. */
  output: Decided | undefined;
  readonly approvals: Map<string, Approval>;
  readonly ends: Map<string, string>;
  readonly judgements: Judgement[];
  readonly costs: CallCosts;
}

export interface AccountabilityMap {
  /** Takes the records of {@link MAP_STORES}, merged by their order. */
  readonly take: (record: JournalRecord) => void;
  /** In the order of their runs' beginning; call it after the last record. */
  readonly rows: () => readonly AccountRow[];
}

/** @param onlyRun  absent: every run */
export function accountabilityMap(onlyRun?: string): AccountabilityMap {
  const wishes: Wishes = { arrivals: new Map(), jobs: new Map(), letters: new Map(), wanted: new Map() };
  const open = new Map<string, RunAccount>();
  const done = new Map<string, readonly AccountRow[]>();
  let rules: number | undefined;
  return {
    take: (record) => {
      const { store, kind, runId, payload } = record;
      if (store === 'agent' && kind === 'Configured') rules = (payload as { readonly gateRules?: number }).gateRules;
      // Of each run, because jobs are made in runs.
      learnWish(wishes, record);
      if (runId === undefined || (onlyRun !== undefined && runId !== onlyRun)) return;
      if (store === 'run') takeRun({ wanted: wishes.wanted, open, done }, runId, record);
      if (store === 'cycle') takeCycle(open.get(runId), record, rules);
    },
    rows: () => {
      for (const [runId, account] of open)
        done.set(
          runId,
          account.drafts.map((draft) => rowOf(account, draft, true)),
        );
      return [...done.values()].flat();
    },
  };
}

interface Accounts {
  readonly wanted: ReadonlyMap<string, Wanted>;
  readonly open: Map<string, RunAccount>;
  readonly done: Map<string, readonly AccountRow[]>;
}

function takeRun({ wanted, open, done }: Accounts, runId: string, record: JournalRecord): void {
  const event = eventOf<RunEvent>(record);
  if (event.kind === 'RunAdmitted') {
    open.set(runId, beginning(event, wanted.get(runId)));
    done.set(runId, []);
    return;
  }
  // A run whose admission was lost has effects, too, and nobody who wanted them.
  const account = open.get(runId) ?? unknownRun();
  open.set(runId, account);
  fromTable(ofRun, event, account, record);
  if (event.kind !== 'RunClosed') return;
  done.set(
    runId,
    account.drafts.map((draft) => rowOf(account, draft, false)),
  );
  open.delete(runId);
}

const ofRun: EventTable<RunEvent, [account: RunAccount, record: JournalRecord], void> = {
  CycleRequested: ({ spec: { cycleId, worker }, purpose }, { cycles }) =>
    void cycles.set(cycleId, { ...purpose, ...(worker === undefined ? {} : { worker }) }),
  VerdictsJudged: (event, { judgements }) => void judgements.push(event),
  DeliveryRequested: (event, account, record) => void account.drafts.push(deliveryDraft(account, event, record)),
  Delivered: ({ deliveryId }, { ends }) => void ends.set(deliveryId, 'delivered'),
};

function beginning({ spec }: RunEventOf<'RunAdmitted'>, wanted: Wanted | undefined): RunAccount {
  const { characterDigest, criteria } = spec;
  return { ...unknownRun(), wanted, characterDigest, hasCriteria: criteria.length > 0 };
}

function unknownRun(): RunAccount {
  return {
    wanted: undefined,
    characterDigest: '',
    hasCriteria: true,
    drafts: [],
    cycles: new Map(),
    verdicts: new Map(),
    output: undefined,
    approvals: new Map(),
    ends: new Map(),
    judgements: [],
    costs: new CallCosts(),
  };
}

function takeCycle(account: RunAccount | undefined, record: JournalRecord, rules: number | undefined): void {
  if (account === undefined) return;
  const event = eventOf<CycleEvent>(record);
  account.costs.take(event, record.cycleId ?? '');
  fromTable(ofCycle, event, account, record, rules);
}

const ofCycle: EventTable<CycleEvent, [account: RunAccount, record: JournalRecord, rules: number | undefined], void> = {
  GateDecided: (event, account, { seq }, rules) =>
    learnVerdict(account, event, { seq, ...(rules === undefined ? {} : { rules }) }),
  ApprovalDecided: (event, { approvals }) => void approvals.set(event.requestId, event),
  ToolRequested: (event, account, record) => {
    if (event.effectClass >= EFFECT_CLASS_MIN) account.drafts.push(callDraft(account, event, record));
  },
  ToolFinished: ({ callId, outcome }, { ends }) => void ends.set(callId, outcome.status),
  EffectLost: ({ callId }, { ends }) => void ends.set(callId, 'Lost'),
};

function learnVerdict(
  account: RunAccount,
  event: Extract<CycleEvent, { kind: 'GateDecided' }>,
  place: Pick<Decided, 'rules' | 'seq'>,
): void {
  const { gate, verdict, rule, characterDigest, argumentsDigest, approvalId, callId } = event;
  const decided = { gate, verdict, rule, characterDigest, ...place };
  if (callId !== undefined) account.verdicts.set(callId, { decided, argumentsDigest, approvalId });
  if (gate === 'Output') account.output = decided;
}

type Requested = Extract<CycleEvent, { kind: 'ToolRequested' }>;

function callDraft(account: RunAccount, event: Requested, record: JournalRecord): Draft {
  const { callId, tool, effectClass } = event;
  const { store, seq, timeMs, cycleId = '' } = record;
  const decision = decisionOn(account, event);
  const approval = approvalOf(account, event);
  return {
    kind: 'Call',
    id: callId,
    what: tool,
    effectClass,
    store,
    seq,
    atMs: timeMs,
    cycleId,
    ...decision.filled,
    ...approval.filled,
    missing: [...decision.missing, ...approval.missing],
    cost: account.costs.of(callId, cycleId),
  };
}

/** What is known for a column, and what is not. */
interface Cell<Filled> {
  readonly filled: Filled;
  readonly missing: AccountRow['missing'];
}

function decisionOn(
  { verdicts }: RunAccount,
  { callId, argumentsDigest }: Requested,
): Cell<{ readonly decided?: Decided }> {
  const missing = (why: string): AccountRow['missing'] => [{ column: 'decided', why }];
  const found = verdicts.get(callId);
  if (found === undefined) return { filled: {}, missing: missing('no verdict of a gate names it') };
  const { decided, argumentsDigest: judged } = found;
  const filled = { decided };
  if (decided.verdict !== 'Accept')
    return { filled, missing: missing(`the gate said ${decided.verdict} by ${decided.rule}`) };
  if (judged !== argumentsDigest) return { filled, missing: missing('the verdict is about other arguments') };
  return { filled, missing: [] };
}

function approvalOf(
  { approvals, verdicts }: RunAccount,
  { callId, argumentsDigest, ...event }: Requested,
): Cell<{ readonly approved?: Approved }> {
  const missing = (why: string): Cell<object> => ({ filled: {}, missing: [{ column: 'approved', why }] });
  // A call that names none is not free of the approval that its verdict rests on.
  const approvalId = verdicts.get(callId)?.approvalId ?? event.approvalId;
  if (approvalId === undefined) return { filled: { approved: { kind: 'NotNeeded' } }, missing: [] };
  const found = approvals.get(approvalId);
  if (found === undefined) return missing(`nobody answered ${approvalId}`);
  if (found.decision !== 'Approve') return missing(`${found.by} did not approve it`);
  if (found.argumentsDigest !== argumentsDigest) return missing(`${found.by} approved other arguments`);
  const claimed = found.knownBy?.how === 'PodsExec' ? { isClaimed: true as const } : {};
  const approved: Approved = {
    kind: 'Approved',
    requestId: approvalId,
    by: found.by,
    reason: found.reason,
    ...claimed,
  };
  return { filled: { approved }, missing: [] };
}

function deliveryDraft(account: RunAccount, event: RunEventOf<'DeliveryRequested'>, record: JournalRecord): Draft {
  const { deliveryId, channel, target, body } = event;
  const decided = decisionOnDelivery(account, body);
  return {
    kind: 'Delivery',
    id: deliveryId,
    what: `${channel} of ${target}`,
    store: record.store,
    seq: record.seq,
    atMs: record.timeMs,
    ...(decided === undefined ? {} : { decided }),
    approved: { kind: 'NotNeeded' },
    missing:
      decided === undefined ? [{ column: 'decided', why: 'no verdict of the output gate let its words out' }] : [],
    cost: costOfRun(body),
    body,
  };
}

/** Without a text that passed the output gate, only what code wrote can be in a delivery; a result needs such a text. */
function decisionOnDelivery(
  { output, characterDigest }: RunAccount,
  { outcome, refusal }: Draft['body'] & object,
): Decided | undefined {
  if (output !== undefined) return output;
  if (refusal !== undefined) return { gate: refusal.gate, verdict: 'Reject', rule: refusal.rule, characterDigest };
  if (isReached(outcome)) return undefined;
  return { gate: 'None', verdict: 'Accept', rule: 'run/no-model-words', characterDigest };
}

function rowOf(account: RunAccount, draft: Draft, isOpen: boolean): AccountRow {
  const { body, cycleId, missing, ...row } = draft;
  const purpose = cycleId === undefined ? undefined : account.cycles.get(cycleId);
  const wanted = account.wanted === undefined ? undefined : wantedBy(account.wanted, cycleId, purpose);
  const check =
    body === undefined
      ? checkOfCall({ callId: draft.id, purpose, judgements: account.judgements, hasCriteria: account.hasCriteria })
      : checkOfDelivery(body, account.hasCriteria);
  return {
    ...row,
    end: account.ends.get(draft.id) ?? (isOpen ? 'under way' : 'without an end'),
    ...(wanted === undefined ? {} : { wanted }),
    ...(check.ok ? { checked: check.value } : {}),
    missing: [
      ...(wanted === undefined
        ? [{ column: 'wanted' as const, why: 'the admission of its run is not in the record' }]
        : []),
      ...(wanted === undefined ? [] : unwantedBy(wanted)),
      ...missing,
      ...(check.ok ? [] : [{ column: 'checked' as const, why: check.error }]),
    ],
    isOpen,
  };
}

function wantedBy(
  wanted: Wanted,
  cycleId: string | undefined,
  purpose: { readonly role: string; readonly worker?: string } | undefined,
): Wanted {
  return {
    ...wanted,
    ...(cycleId === undefined ? {} : { cycleId }),
    ...(purpose === undefined ? {} : { role: purpose.worker ?? purpose.role }),
  };
}
