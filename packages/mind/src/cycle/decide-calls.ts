/**
 * Decides the tool calls of one answer. Each call is run, refused, sent to a person for approval, or answered with its
 * fault. Every call gets an answer.
 *
 * Source: springdrift 6, 17; artoo A.5 (repeated calls); reliability-security 4 (approvals).
 */
import { deniedBy, notApprovedInTime } from '../gate/approval.ts';
import { ApprovalRequest, REQUEST_APPROVAL } from '../gate/approval-request.ts';
import { CHOICE_RULE } from '../gate/provenance/choice-budget.ts';
import type { Choice } from '../gate/provenance/read-item.ts';
import { judgeReply } from '../gate/provenance/reply-policy.ts';
import { ASK_PERSON, answeredText, NOBODY_ANSWERED } from '../gate/person-question.ts';
import { blockedReason } from '../gate/blocked-call.ts';
import type { CallFacts, Verdict } from '../gate/verdict.ts';
import { allowedText } from './allowed-text.ts';
import { ASKED_AHEAD, awaitingCalls, requestApproval } from './approval-requests.ts';
import { decideRequest } from './decide-request.ts';
import { endCycle, gateContext, push, type Draft } from './draft.ts';
import { repeatedReason } from './end-fault.ts';
import type { CycleInput } from './event.ts';
import type { UnrunReason } from './unrun-reason.ts';
import { inquire, recordDecided, type GatedCall } from './inquire.ts';
import { scoreTogether } from './score-together.ts';
import { isAskedAbout, type CallRecord, type CycleState, type OpenCall } from './state.ts';

/** Identical calls that ran before one more counts as a loop: the first repetition is warned, the next ends the cycle. */
const IDENTICAL_RUNS_MAX = 2;

export function decideCalls(draft: Draft, input: Extract<CycleInput, { kind: 'ModelAnswered' }>): void {
  if (input.answer.stop !== 'MaxTokens') {
    const judged = undecided(draft.state).flatMap((call) => judgedCall(draft, call) ?? []);
    scoreTogether(
      draft,
      judged.filter(({ subject }) => !repeats(draft.state, subject.call)),
    );
    return advanceCalls(draft);
  }
  for (const call of draft.state.openCalls) {
    answer(
      draft,
      call,
      'CutOff',
      'The answer was cut off at the output limit, so this call may be incomplete. Send it again, smaller.',
    );
  }
  decideRequest(draft);
}

/**
 * Decides the calls in their order. A call that waits for the gate holds back the later ones, so that calls run in the
 * order of their requests. The gate's questions about the later ones are already asked meanwhile.
 */
export function advanceCalls(draft: Draft): void {
  let isHeldBack = false;
  for (const call of undecided(draft.state)) {
    if (isHeldBack) askAhead(draft, call);
    else decideCall(draft, call);
    if (draft.state.ended !== undefined) return;
    isHeldBack ||= isAskedAbout(draft.state, call.callId);
  }
  decideRequest(draft);
}

function undecided({ openCalls, pendingTools, pendingApprovals }: CycleState): readonly OpenCall[] {
  const isWithPerson = (callId: string): boolean => pendingApprovals.some((it) => it.callId === callId);
  return openCalls.filter(
    ({ callId, result }) => result === undefined && !pendingTools.includes(callId) && !isWithPerson(callId),
  );
}

/** Asks the gate about a call before its turn. Faults of the call are reported in its turn. */
function askAhead(draft: Draft, call: OpenCall): void {
  const judged = judgedCall(draft, call);
  if (judged !== undefined) inquire(draft, judged);
}

/** Undefined for a call that no gate judges. */
function judgedCall(draft: Draft, call: OpenCall): GatedCall | undefined {
  const seen = readCall(draft, call);
  if (seen.kind !== 'Callable') return undefined;
  return { subject: { gate: 'Tool', call: seen.facts }, call };
}

type Seen =
  | { readonly kind: 'Unrunnable'; readonly why: UnrunReason; readonly text: string }
  | { readonly kind: 'ApprovalRequest' }
  | { readonly kind: 'Callable'; readonly facts: CallFacts };

function readCall({ state, config }: Draft, call: OpenCall): Seen {
  const { spec } = state;
  const unrunnable = (why: UnrunReason, text: string): Seen => ({ kind: 'Unrunnable', why, text });
  if (state.calls.length >= spec.limits.toolCalls) {
    return unrunnable(
      'LimitReached',
      `All ${spec.limits.toolCalls} tool calls of this cycle are used up. Answer with what you have.`,
    );
  }
  if (call.fault !== undefined)
    return unrunnable('InvalidArguments', `This call was not run, because ${call.fault}. Send it again, corrected.`);
  if (!spec.tools.includes(call.tool) || !config.catalog.has(call.tool)) {
    const own = spec.tools.length === 0 ? 'You may call none here: answer' : `Tools: ${spec.tools.join(', ')}`;
    return unrunnable('UnknownTool', `There is no tool ${JSON.stringify(call.tool.slice(0, 100))}. ${own}.`);
  }
  const facts = config.catalog.parse(call.tool, call.input);
  if (!facts.ok) return unrunnable('InvalidArguments', facts.error);
  if (call.tool === REQUEST_APPROVAL) return { kind: 'ApprovalRequest' };
  const blocked = blockedReason(spec.blocked, config.catalog.known.factsOf(call.tool), call.input);
  return blocked === undefined ? { kind: 'Callable', facts: facts.value } : unrunnable('Blocked', blocked);
}

function decideCall(draft: Draft, call: OpenCall): void {
  const seen = readCall(draft, call);
  if (seen.kind === 'Unrunnable') return answer(draft, call, seen.why, seen.text);
  if (seen.kind === 'ApprovalRequest') return decideApprovalRequest(draft, call);
  if (isRepeated(draft, call, seen.facts)) return;
  return decideGated(draft, call, seen.facts);
}

/**
 * A call whose result is unknown may be repeated. Unreadable calls (no such tool, wrong arguments, cut off) between two equal
 * calls do not count.
 */
function repeats(state: CycleState, { argumentsDigest }: CallFacts): boolean {
  const calls = sinceUnknown(state.calls);
  const isSame = (it: CallRecord | undefined): boolean => it?.argumentsDigest === argumentsDigest;
  const isConsecutive = isSame(calls.findLast((it) => it.argumentsDigest !== ''));
  const runs = calls.filter((it) => isSame(it) && it.end.kind !== 'Unrun').length;
  return isConsecutive || runs > IDENTICAL_RUNS_MAX;
}

/** True when the call was answered as a repetition. */
function isRepeated(draft: Draft, call: OpenCall, facts: CallFacts): boolean {
  if (!repeats(draft.state, facts)) return false;
  const calls = sinceUnknown(draft.state.calls);
  const warned = calls.filter((it) => it.end.kind === 'Unrun' && it.end.why === 'Repeated').length;
  answer(
    draft,
    call,
    'Repeated',
    'This is the same call as before; its result will not change. Do something else, or answer.',
  );
  if (warned > 0) {
    push(draft, { kind: 'LimitReached', limit: 'identicalCalls', value: warned + 1, max: 1 });
    endCycle(draft, {
      outcome: 'OutOfBudget',
      text: allowedText(draft),
      reason: repeatedReason(call.tool),
    });
  }
  return true;
}

/** The count starts again after a result that a restart left unknown: then another look is right. */
function sinceUnknown(calls: readonly CallRecord[]): readonly CallRecord[] {
  const unknown = calls.findLastIndex((it) => it.end.kind === 'Ran' && it.end.outcome.status === 'Unknown');
  return calls.slice(unknown + 1);
}

/** A yes to this question holds for the site. */
function siteOf({ rule }: Verdict, choice: Choice | undefined): { readonly site?: string } {
  return rule === CHOICE_RULE && choice !== undefined ? { site: choice.site } : {};
}

function decideGated(draft: Draft, call: OpenCall, facts: CallFacts): void {
  const decided = inquire(draft, { subject: { gate: 'Tool', call: facts }, call });
  if (decided === undefined) return;
  const approval = draft.state.approvals.find(
    (it) => it.argumentsDigest === facts.argumentsDigest && it.standing === call.standing,
  );
  const approvalId = approval === undefined ? {} : { approvalId: approval.requestId };
  const { callId, tool } = call;
  const { effectClass, argumentsDigest } = facts;
  const { verdict, record, action } = decided;
  recordDecided(draft, verdict, { callId, tool, effectClass, argumentsDigest, ...approvalId, record });
  const choice = draft.config.gate.choice(facts, gateContext(draft, call));
  const chosen = choice === undefined ? {} : { choice };
  // A person reads the question in any case, so an approval to ask it would be a second question.
  if (tool === ASK_PERSON && (verdict.kind === 'Accept' || verdict.kind === 'Escalate'))
    return requestApproval(draft, call, facts, { reason: verdict.reason });
  switch (verdict.kind) {
    case 'Accept':
      return push(draft, {
        kind: 'ToolRequested',
        callId,
        tool,
        input: call.input as never,
        argumentsDigest,
        effectClass,
        ...approvalId,
        ...chosen,
      });
    case 'Escalate':
      return requestApproval(draft, call, facts, {
        reason: reasonToAsk(draft.state, call, verdict.reason),
        ...siteOf(verdict, choice),
      });
    case 'Modify':
      return answer(draft, call, 'Cautioned', `[caution] ${action.kind === 'Caution' ? action.text : verdict.reason}`);
    case 'Reject':
      return answer(draft, call, 'Refused', `[refused] ${verdict.reason} (rule ${verdict.rule})`);
  }
}

/** A yes that does not fit any more is not lost silently: the person who gave it reads why they are asked again. */
function reasonToAsk({ approvals }: CycleState, { approvalRequest }: OpenCall, reason: string): string {
  const isApproved = approvals.some(
    ({ requestId, decision }) => requestId === approvalRequest && decision === 'Approve',
  );
  return isApproved ? `${reason} What stands there has changed since a person approved it.` : reason;
}

/** Nobody approves these: a person answers them. */
const control: ReadonlySet<string> = new Set([REQUEST_APPROVAL, ASK_PERSON]);

/** The model asks in advance. The approval is bound to the call that it names, and waits for that call. */
function decideApprovalRequest(draft: Draft, call: OpenCall): void {
  const asked = ApprovalRequest.safeParse(call.input);
  if (!asked.success) return answer(draft, call, 'InvalidArguments', 'Name the tool, its input, and the reason.');
  const { tool, input, reason } = asked.data;
  const { gate, catalog } = draft.config;
  const isKnown = !control.has(tool) && draft.state.spec.tools.includes(tool) && catalog.has(tool);
  if (!isKnown)
    return answer(
      draft,
      call,
      'InvalidArguments',
      `There is no tool ${JSON.stringify(tool.slice(0, 100))} to request approval for.`,
    );
  const blocked = blockedReason(draft.state.spec.blocked, catalog.known.factsOf(tool), input);
  if (blocked !== undefined) return answer(draft, call, 'Blocked', blocked);
  const target = catalog.parse(tool, input);
  if (!target.ok) return answer(draft, call, 'InvalidArguments', target.error);
  // An approval lifts no refusal, so nobody is asked for one.
  const context = gateContext(draft, call);
  const verdict = gate.tool(target.value, context);
  if (verdict.kind === 'Reject') return denied(draft, call, verdict, target.value);
  const told = judgeReply(reason, context);
  if (told !== undefined) return denied(draft, call, { ...told, gate: 'Tool' });
  requestApproval(draft, call, target.value, { reason: ASKED_AHEAD, agentSays: reason });
}

/** A person has decided. The gate judges each call that waited for the answer again, with its own approval at hand. */
export function decideApproved(draft: Draft, input: Extract<CycleInput, { kind: 'ApprovalDecided' }>): void {
  for (const call of awaitingCalls(draft.state, input.requestId)) {
    if (input.decision === 'Deny') {
      denied(draft, call, deniedBy(input), input);
    } else if (call.tool === ASK_PERSON) {
      answer(draft, call, 'Answered', answeredText(input.reason));
    } else if (call.tool === REQUEST_APPROVAL) {
      answer(
        draft,
        call,
        'Approved',
        `${input.by} approved exactly this call: ${input.reason}. Make it now, with the same arguments.`,
      );
    } else {
      const facts = draft.config.catalog.parse(call.tool, call.input);
      if (facts.ok) decideGated(draft, call, facts.value);
    }
  }
  decideRequest(draft);
}

/** No answer in time is a refusal; a question that nobody answered is none. */
export function decideApprovalExpired(draft: Draft, requestId: string | undefined): void {
  for (const call of awaitingCalls(draft.state, requestId)) {
    if (call.tool === ASK_PERSON) answer(draft, call, 'Unanswered', NOBODY_ANSWERED);
    else denied(draft, call, notApprovedInTime);
  }
  decideRequest(draft);
}

function denied(
  draft: Draft,
  call: OpenCall,
  { gate, kind, rule, reason }: Verdict,
  facts?: Pick<CallFacts, 'argumentsDigest'>,
): void {
  push(draft, {
    kind: 'GateDecided',
    gate,
    verdict: kind,
    callId: call.callId,
    tool: call.tool,
    characterDigest: draft.config.gate.characterDigest,
    rule,
    reason,
    ...(facts === undefined ? {} : { argumentsDigest: facts.argumentsDigest }),
  });
  answer(draft, call, 'Denied', `[refused] ${reason} (rule ${rule})`);
}

/** Answers to calls that were understood. Their digest is known and kept, so that a repetition is found. */
const understood: ReadonlySet<UnrunReason> = new Set([
  'Refused',
  'Cautioned',
  'Denied',
  'Repeated',
  'Blocked',
  'Approved',
  'Answered',
  'Unanswered',
]);

function answer(draft: Draft, call: OpenCall, why: UnrunReason, text: string): void {
  const facts = understood.has(why) ? draft.config.catalog.parse(call.tool, call.input) : undefined;
  const digest = facts?.ok === true ? { argumentsDigest: facts.value.argumentsDigest } : {};
  push(draft, { kind: 'CallAnswered', callId: call.callId, tool: call.tool, why, text, ...digest });
}
