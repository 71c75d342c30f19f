/**
 * Asks people by mail: approvers for their yes or no, and the sender of a letter what its run wants to know.
 *
 * I1  Each look compares all that is open with all that was mailed, so a look makes up for what earlier ones missed.
 * I2  A mail is in the record before a server gets it, so nobody is asked the same twice, whenever the process dies. The outbox sends it.
 * I3  No code is written anywhere but into the letter.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import { approvalLetter, approvalsToMail, type WantedApproval } from '@retainer/mind/parts/mail/approval-letter';
import { mailIdOf, type SendRequest } from '@retainer/mind/parts/mail/outgoing';
import { questionLetter, questionsToMail, type WantedQuestion } from '@retainer/mind/parts/mail/question-letter';
import type { Component } from '../../ports/component.ts';
import type { MailPort } from '../../ports/mail.ts';
import { whileWorking } from '../jobs/while-working.ts';
import type { ApprovalCodes } from './approval-codes.ts';
import { openApprovals, openMailQuestions, type OpenWork } from './open-dialogue.ts';

export interface DialogueParts {
  readonly mail: Pick<MailPort, 'known' | 'send'>;
  /** Of the Agent, for its letters. */
  readonly agentName: string;
  /** Of `channels.email`; empty: approvals by mail are off. */
  readonly approvers: readonly string[];
  readonly codes: ApprovalCodes;
  readonly known: KnownTools;
  readonly work: OpenWork;
  readonly clock: Clock;
  readonly isWorking: () => boolean;
  /**
   * Resolves when something may be asked that was not before, at the latest after some seconds: no record tells of work that begins to
   * wait. Or when the signal is aborted.
   */
  readonly changed: (signal: AbortSignal) => Promise<unknown>;
}

/** A request is known to the outbox when it is in the record; nobody here waits for its server. */
const recorded = AbortSignal.abort();

export function dialogue(parts: DialogueParts): Component {
  const { clock, isWorking } = parts;
  return {
    name: 'mail-dialogue',
    restart: 'Permanent',
    run: (signal) =>
      whileWorking({ clock, jobs: { isWorking }, signal }, async () => {
        await ask(parts);
        await parts.changed(signal);
      }),
  };
}

async function ask(parts: DialogueParts): Promise<void> {
  const { mail, approvers, work, clock, known } = parts;
  const nowMs = clock.nowMs();
  const requests = [
    ...approvalsToMail(mail.known(), openApprovals(work), approvers, nowMs).map((it) => approval(it, parts)),
    ...questionsToMail(mail.known(), openMailQuestions(work, known), nowMs).map((it) => question(it, parts)),
  ];
  for (const request of requests) await mail.send(request, recorded);
}

function approval(
  { deliveryId, to, request }: WantedApproval,
  { agentName, known, codes }: DialogueParts,
): SendRequest {
  const { requestId, argumentsDigest, expiresAtMs: untilMs, runId } = request;
  const of = { kind: 'Approval' as const, to: [to], deliveryId, runId };
  const codeDigest = codes.digestFor({ mailId: mailIdOf(of), requestId, argumentsDigest, address: to });
  return {
    ...of,
    ...approvalLetter(request, agentName, known),
    approval: { requestId, argumentsDigest, codeDigest, untilMs },
  };
}

function question(
  { deliveryId, to, letterId, question: asked }: WantedQuestion,
  { agentName, mail }: DialogueParts,
): SendRequest {
  const { questionId, runId } = asked;
  const subject = mail.known().letters.get(letterId)?.head.subject ?? '';
  const of = { kind: 'Question' as const, to: [to], deliveryId, letterId, questionId, runId };
  return { ...of, ...questionLetter(asked, subject, agentName) };
}
