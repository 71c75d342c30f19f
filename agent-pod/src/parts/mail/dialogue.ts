/**
 * Asks people by mail: approvers for their yes or no, and the sender of a letter what its run wants to know.
 *
 * I1  Each look compares all that is open with all that was mailed, so a look makes up for what earlier ones missed.
 * I2  A mail is in the record before a server gets it, so nobody is asked the same twice, whenever the process dies.
 * I3  No code is written anywhere but into the letter.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import { approvalLetter, approvalsToMail, type WantedApproval } from '@retainer/mind/parts/mail/approval-letter';
import { questionLetter, questionsToMail, type WantedQuestion } from '@retainer/mind/parts/mail/question-letter';
import type { Component } from '../../ports/component.ts';
import { mailIdOf, type SendRequest } from '@retainer/mind/parts/mail/outgoing';
import type { MailPort } from '../../ports/mail.ts';
import type { ApprovalCodes } from './approval-codes.ts';
import { openApprovals, openMailQuestions, type OpenWork } from './open-dialogue.ts';

export interface DialogueOptions {
  readonly mail: Pick<MailPort, 'known' | 'send'>;
  /** Of the Agent, for its letters. */
  readonly agentName: string;
  /** Of `channels.email`; empty: approvals by mail are off. */
  readonly approvers: readonly string[];
  readonly codes: ApprovalCodes;
  readonly known: KnownTools;
  readonly work: OpenWork;
  readonly clock: Clock;
  /** Resolves when something may be asked that was not before, at the latest after some seconds; or when the signal is aborted. */
  readonly changed: (signal: AbortSignal) => Promise<unknown>;
}

/** Mails under way at once: a server that is down must not gather them without end. Others wait in what is open. */
const UNDER_WAY_MAX = 16;

export function dialogue(options: DialogueOptions): Component {
  return {
    name: 'mail-dialogue',
    restart: 'Permanent',
    run: (signal) => new Dialogue(options).run(signal),
  };
}

class Dialogue {
  readonly #options: DialogueOptions;
  /** By delivery. */
  readonly #underWay = new Map<string, Promise<void>>();
  #fault: { readonly error: unknown } | undefined;

  constructor(options: DialogueOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#look(signal);
      await this.#options.changed(signal);
      if (this.#fault !== undefined) throw this.#fault.error;
    }
    await Promise.all(this.#underWay.values());
  }

  #look(signal: AbortSignal): void {
    const { mail, approvers, work, clock } = this.#options;
    const [known, nowMs] = [mail.known(), clock.nowMs()];
    const requests = [
      ...approvalsToMail(known, openApprovals(work), approvers, nowMs).map((it) => this.#approval(it)),
      ...questionsToMail(known, openMailQuestions(work), nowMs).map((it) => this.#question(it)),
    ];
    for (const request of requests) this.#send(request, signal);
  }

  #send(request: SendRequest & { readonly deliveryId: string }, signal: AbortSignal): void {
    const { deliveryId } = request;
    if (this.#underWay.has(deliveryId) || this.#underWay.size >= UNDER_WAY_MAX) return;
    const sent = this.#options.mail
      .send(request, signal)
      .then(() => undefined)
      // The record takes no more: the supervisor tries again, and the next look begins with what is open then.
      .catch((error: unknown) => {
        this.#fault = { error };
      })
      .finally(() => this.#underWay.delete(deliveryId));
    this.#underWay.set(deliveryId, sent);
  }

  #approval({ deliveryId, to, request }: WantedApproval): SendRequest & { readonly deliveryId: string } {
    const { agentName, known, codes } = this.#options;
    const { requestId, argumentsDigest, expiresAtMs: untilMs, runId } = request;
    const codeDigest = codes.digestFor({
      mailId: mailIdOf({ kind: 'Approval', to: [to], deliveryId }),
      requestId,
      argumentsDigest,
      address: to,
    });
    return {
      ...{ kind: 'Approval', to: [to], deliveryId, runId },
      ...approvalLetter(request, agentName, known),
      approval: { requestId, argumentsDigest, codeDigest, untilMs },
    };
  }

  #question({ deliveryId, to, letterId, question }: WantedQuestion): SendRequest & { readonly deliveryId: string } {
    const { agentName, mail } = this.#options;
    const { questionId, runId } = question;
    const subject = mail.known().letters.get(letterId)?.head.subject ?? '';
    return {
      ...{ kind: 'Question', to: [to], deliveryId, letterId, questionId, runId },
      ...questionLetter(question, subject, agentName),
    };
  }
}
