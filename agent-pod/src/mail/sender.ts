/**
 * Letters handed to the server for outgoing mail, each on a connection of its own: an agent sends some an hour.
 *
 * I1  A letter is handed over once. What came of it is `Sent`, `Refused` or `Unknown`, and never a guess: from the first byte of the
 *     text on, only an answer of the server tells.
 * I2  While the server is down it is tried by itself, so health tells when it is back, even if nobody sends anything.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';
import type { Handed, Handing, SenderPort, ServerHealth } from '../ports/mail.ts';
import { faultOf, faultText, MailServerError, type ServerFault } from './server-fault.ts';
import { PAUSES, ServerState, type Pauses } from './server-state.ts';
import { converse, type SmtpAccess, type SmtpError } from './smtp-session.ts';

export interface SenderSettings extends SmtpAccess {
  readonly clock: Clock;
  /** 0 to 1; for pauses between tries. */
  readonly random: () => number;
  readonly pauses?: Pauses;
}

export class SmtpSender implements SenderPort {
  readonly #settings: SenderSettings;
  readonly #state: ServerState;
  readonly #stopping = new AbortController();
  #healing: Promise<void> | undefined;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
    const { clock, random, pauses = PAUSES } = settings;
    this.#state = new ServerState({ server: settings, clock, random, pauses });
  }

  health(): ServerHealth {
    return this.#state.health;
  }

  /** Logs in once, so that health tells of a wrong password before anything is sent; and tries again while that fails. */
  start(): void {
    this.#state.connecting();
    this.#heal();
  }

  async hand({ to }: Pick<Outgoing, 'to'>, { message: bytes, signal, beforeText }: Handing): Promise<Handed> {
    if (await this.#isLockedOut()) return this.#refused('LoginRefused', false);
    let hasBegun = false;
    let unnoted: { readonly error: unknown } | undefined;
    const begin = async (): Promise<void> => {
      try {
        await beforeText();
        hasBegun = true;
      } catch (error) {
        unnoted = { error };
        throw error;
      }
    };
    const letter = { to, bytes, begin };
    const either = AbortSignal.any([signal, this.#stopping.signal]);
    try {
      await converse(this.#access, letter, either);
      this.#state.succeeded();
      return { kind: 'Sent' };
    } catch (error) {
      if (unnoted !== undefined) throw unnoted.error;
      if (either.aborted) return hasBegun ? this.#unknown() : this.#refused('Stopped', false);
      return this.#handed(error as SmtpError, hasBegun);
    }
  }

  /** Logs in and leaves. @throws MailServerError */
  async check(signal: AbortSignal): Promise<void> {
    try {
      await converse(this.#access, undefined, signal);
      this.#state.succeeded();
    } catch (error) {
      signal.throwIfAborted();
      const fault = connectionFault(error as SmtpError);
      this.#state.down(fault);
      throw new MailServerError(fault, this.#settings);
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('the sender is closed'));
    await this.#healing;
    this.#state.off();
  }

  /** Letters try no password that was refused: servers lock a user after some tries, and those are made with pauses. */
  async #isLockedOut(): Promise<boolean> {
    const isTrying = this.#healing !== undefined && this.health().reason === 'LoginRefused';
    return isTrying && !(await this.#state.hasOtherCredentials());
  }

  get #access(): SmtpAccess {
    return { ...this.#settings, ...this.#state.access };
  }

  #handed(error: SmtpError, hasBegun: boolean): Handed {
    const { responseCode, command = '' } = error;
    const isOfLetter = responseCode !== undefined && responseCode !== 421 && /^(MAIL FROM|RCPT TO|DATA)/.test(command);
    if (isOfLetter || isOfLibrary(error)) {
      this.#state.succeeded();
      return this.#refused(letterFault(error), responseCode === undefined || responseCode >= 500, responseCode);
    }
    const fault = connectionFault(error);
    this.#state.down(fault);
    this.#heal();
    return hasBegun && responseCode === undefined ? this.#unknown() : this.#refused(fault, false, responseCode);
  }

  #refused(fault: ServerFault, isPermanent: boolean, code?: number): Handed {
    const text = faultText(fault, this.#settings);
    return { kind: 'Refused', reason: code === undefined ? text : `${text} (answer ${code})`, isPermanent };
  }

  #unknown(): Handed {
    return { kind: 'Unknown', reason: faultText('BrokenWhileSent', this.#settings) };
  }

  #heal(): void {
    this.#healing ??= this.#healed().finally(() => (this.#healing = undefined));
  }

  async #healed(): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#state.health.state !== 'Up' && !signal.aborted) {
      try {
        await this.#state.untilDue(signal);
        await this.check(signal);
      } catch {
        // Health tells it.
      }
    }
  }
}

/** The library refuses by itself what the server has said that it would refuse. */
function isOfLibrary({ code, responseCode }: SmtpError): boolean {
  return responseCode === undefined && (code === 'EMESSAGE' || code === 'EENVELOPE');
}

type Stage = 'MAIL' | 'RCPT' | 'DATA';

/** `full`: something has no more room. */
const REFUSALS: Readonly<Record<Stage, Readonly<Record<'full' | 'passing' | 'permanent', ServerFault>>>> = {
  MAIL: { full: 'LetterTooLarge', passing: 'TryLater', permanent: 'SenderRefused' },
  RCPT: { full: 'RecipientFull', passing: 'TryLater', permanent: 'RecipientRefused' },
  DATA: { full: 'LetterTooLarge', passing: 'TryLater', permanent: 'LetterRefused' },
};

/** Source: RFC 3463, 3.3 and 3.4. */
const DETAILS: Readonly<Record<string, ServerFault>> = {
  '2.2': 'RecipientFull',
  '2.3': 'LetterTooLarge',
  '3.4': 'LetterTooLarge',
};

/** Why this letter is refused. Source: RFC 5321, 4.2.3. */
function letterFault({ responseCode, code, command = '', response = '' }: SmtpError): ServerFault {
  const [, detail = ''] = /^\d{3}[ -][245]\.(\d{1,3}\.\d{1,3})/.exec(response) ?? [];
  if (DETAILS[detail] !== undefined) return DETAILS[detail];
  const answer = responseCode ?? (code === 'EMESSAGE' ? 552 : 550);
  // The library itself looks at addresses before it says anything.
  const stage = (['MAIL', 'DATA'] as const).find((it) => command.startsWith(it)) ?? 'RCPT';
  return REFUSALS[stage][answerKind(answer, stage)];
}

function answerKind(answer: number, stage: Stage): 'full' | 'passing' | 'permanent' {
  if (answer === 552 || (answer === 452 && stage === 'RCPT')) return 'full';
  return answer < 500 ? 'passing' : 'permanent';
}

/** Why the server is no help at all. */
function connectionFault(error: SmtpError): ServerFault {
  const { responseCode, response = '' } = error;
  if (responseCode === undefined) return faultOf(error, 'ConnectionLost');
  if (/too many|connection limit/i.test(response)) return 'TooManyConnections';
  if (responseCode < 500) return 'ServerUnavailable';
  return error.code === 'EAUTH' ? 'LoginRefused' : faultOf(error, 'UnexpectedAnswer');
}
