/**
 * Approvals by mail, the way out: which open requests are mailed to whom, and what the letter says.
 *
 * I1  Never a request of class 4, never one that nobody waits for any more, and each once to each approver: the record of mails says so.
 * I2  The letter is in our words alone. Of what a model chose it shows the arguments: bounded, each line behind a bar, no address of
 *     them can be followed.
 * I3  The recorded text has no code; whoever hands the letter to a server puts it in.
 *
 * Source: reliability-security 4 (approval fatigue: the exact effect, bound to a hash, one use); design 5.
 */
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { printable } from '@retainer/contract/std/printable';
import { utcSecond } from '@retainer/contract/std/utc-date';
import { inertText } from '../../gate/provenance/inert.ts';
import { asciiLowerCase } from '../../gate/provenance/mail-address.ts';
import { effectText, renderEffect } from '../../gate/render-effect.ts';
import type { NamedFiles } from '../../gate/standing.ts';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { HIDDEN_CODE, shownCode } from './approval-code.ts';
import type { Outgoing } from './mail-records.ts';
import type { MailState } from './mail-state.ts';

/** Calls of this class and above are approved on the cluster or at the machine alone. */
export const NEVER_BY_MAIL_CLASS = 4;

/** Characters of the effect in a letter: two pages. More nobody reads on a telephone. */
const EFFECT_CHARACTERS_MAX = 6_000;
/** Characters of a reason of a rule, and of what the run works for. */
const REASON_CHARACTERS_MAX = 600;
const WORK_CHARACTERS_MAX = 200;
/** Hexadecimal digits by which a person compares two requests. */
const SHOWN_DIGEST_LENGTH = 16;

/** A request of a cycle that waits for a person. */
export interface OpenApproval {
  readonly requestId: string;
  readonly runId: string;
  readonly tool: string;
  readonly input: Json;
  readonly argumentsDigest: string;
  readonly effectClass: number;
  /** Of the rule that asks. */
  readonly reason: string;
  readonly standing?: string;
  readonly named?: NamedFiles;
  /** Equal calls that one answer serves. */
  readonly calls: number;
  readonly expiresAtMs: number;
  /** For whom the run works, as `the Task default/sum`. */
  readonly work: string;
}

export interface WantedApproval {
  /** Of this request for this approver: the same mail, however often it is wanted. */
  readonly deliveryId: string;
  readonly to: string;
  readonly request: OpenApproval;
}

const approvalDeliveryId = (requestId: string, address: string): string => `approval:${requestId}:${address}`;

/** @param approvers  of `channels.email`; empty: approvals by mail are off */
export function approvalsToMail(
  { outgoing }: Pick<MailState, 'outgoing'>,
  open: readonly OpenApproval[],
  approvers: readonly string[],
  nowMs: number,
): readonly WantedApproval[] {
  const mailed = new Set([...outgoing.values()].map(({ mail }) => mail.deliveryId));
  const addresses = [...new Set(approvers.map(asciiLowerCase))];
  return open
    .filter(({ effectClass, expiresAtMs }) => effectClass < NEVER_BY_MAIL_CLASS && expiresAtMs > nowMs)
    .flatMap((request) =>
      addresses.map((to) => ({ to, request, deliveryId: approvalDeliveryId(request.requestId, to) })),
    )
    .filter(({ deliveryId }) => !mailed.has(deliveryId));
}

/** What a code is derived from, beside the key: another request, other arguments or another approver have another code. */
export function codeSeed(of: {
  readonly mailId: string;
  readonly requestId: string;
  readonly argumentsDigest: string;
  readonly address: string;
}): string {
  return canonicalJson(['approval-by-mail/1', of.mailId, of.requestId, of.argumentsDigest, of.address]);
}

export interface LetterText {
  readonly subject: string;
  readonly text: string;
}

/** The letter without its code. @param agent  its name */
export function approvalLetter(request: OpenApproval, agent: string, known: KnownTools): LetterText {
  const { tool, effectClass, argumentsDigest, calls, expiresAtMs } = request;
  const until = utcSecond(expiresAtMs);
  return {
    subject: `${printable(agent)} waits for your approval: ${printable(tool)}`,
    text: [
      `The agent ${printable(agent)} wants to do this, and waits for a person:`,
      '',
      ...shownEffect(request, known),
      '',
      `Effect class ${effectClass}, arguments sha256 ${argumentsDigest.slice(0, SHOWN_DIGEST_LENGTH)}.`,
      `It works for ${inertLine(request.work, WORK_CHARACTERS_MAX)}.`,
      `A rule asks for a person: ${inertLine(request.reason, REASON_CHARACTERS_MAX)}`,
      '',
      calls === 1
        ? 'If you approve, this call runs once, with exactly these arguments.'
        : `If you approve, these ${calls} equal calls run once each, with exactly these arguments.`,
      `If you deny, or if nobody answers before ${until}, it does not run.`,
      '',
      'To decide, answer this letter and begin with one of these two lines:',
      '',
      ...DECISION_LINES,
      '',
      'The code is for you alone and counts once, so do not forward this letter. Nothing else in your answer decides anything.',
      'It tells the agent nothing either.',
      '',
    ].join('\n'),
  };
}

const decisionLine = (word: string, code: string): string => `    ${word} ${code}`;
const WORDS = ['approve', 'deny'] as const;
const DECISION_LINES = WORDS.map((word) => decisionLine(word, HIDDEN_CODE));

/** The text as its approver gets it. Only our own two lines get the code: no argument can look like one of them. */
export function withCode(text: string, code: string): string {
  return text
    .split('\n')
    .map((line) => {
      const at = DECISION_LINES.indexOf(line);
      const word = WORDS[at];
      return word === undefined ? line : decisionLine(word, shownCode(code));
    })
    .join('\n');
}

/** A person can no longer decide by this mail: to send it would only confuse. */
export function isPastApproval({ approval }: Pick<Outgoing, 'approval'>, nowMs: number): boolean {
  return approval !== undefined && approval.untilMs <= nowMs;
}

function shownEffect(request: OpenApproval, known: KnownTools): readonly string[] {
  const effect = renderEffect(known.factsOf(request.tool), request.input, request);
  return effectText(effect, EFFECT_CHARACTERS_MAX)
    .split('\n')
    .map((line) => `| ${inert(line)}`);
}

/** Of a line nothing can be followed. */
const inert = (line: string): string => inertText(printable(line), () => false).text.replaceAll('\n', ' ');

function inertLine(text: string, charactersMax: number): string {
  return inert(headAndTail(text, charactersMax).replaceAll('\n', ' '));
}
