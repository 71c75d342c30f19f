/**
 * Where the agent stands with one server, and when the next try is due.
 *
 * I1  While tries fail, health stays `Down` with the newest reason: it does not go to and fro, so a status at rest stays as it is.
 * I2  A connection that broke soon after it was made counts as a failed try: a server that takes and drops is not asked in a circle.
 */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Clock } from '@retainer/contract/std/clock';
import type { ServerHealth } from '../ports/mail.ts';
import type { Credentials, ServerAccess } from './connect.ts';
import { faultText, type ServerFault } from './server-fault.ts';

/** Two seconds at first: most cuts are those of a restarted router. Five minutes at most, so that nobody waits long for what was repaired. */
const AGAIN: BackoffPolicy = { initialMs: 2_000, factor: 2, ceilingMs: 300_000, jitterRatio: 0.3 };
/** Servers lock a user after some wrong passwords, often five in some minutes. Another password is tried at once. */
const LOGIN_AGAIN: BackoffPolicy = { initialMs: 60_000, factor: 2, ceilingMs: 1_800_000, jitterRatio: 0.3 };
/** During a long pause the credentials are looked at, since other ones end it. */
const LOOK_AT_CREDENTIALS_MS = 5_000;
/** Whoever was connected for so long is connected. */
const STEADY_MS = 60_000;

export interface Pauses {
  readonly again: BackoffPolicy;
  readonly loginAgain: BackoffPolicy;
  readonly steadyMs: number;
}

export const PAUSES: Pauses = { again: AGAIN, loginAgain: LOGIN_AGAIN, steadyMs: STEADY_MS };

export interface ServerStateSettings {
  readonly server: ServerAccess;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly pauses: Pauses;
}

export class ServerState {
  readonly #settings: ServerStateSettings;
  #health: ServerHealth;
  /** Tries without success, one after the other. */
  #failures = 0;
  #upSinceMs = 0;
  /** Of the last try. */
  #tried: Credentials | undefined;

  constructor(settings: ServerStateSettings) {
    this.#settings = settings;
    this.#health = { state: 'Off', sinceMs: settings.clock.nowMs() };
  }

  get health(): ServerHealth {
    return this.#health;
  }

  /** The server, with credentials that are remembered as tried. */
  get access(): ServerAccess {
    const { server } = this.#settings;
    return { ...server, credentials: async () => (this.#tried = await server.credentials()) };
  }

  /** Resolves when the next try is due: after a pause that grows, or when there are other credentials than those that were refused. */
  async untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#settings;
    const dueMs = clock.monotonicMs() + this.#pauseMs();
    for (;;) {
      signal.throwIfAborted();
      const leftMs = dueMs - clock.monotonicMs();
      if (leftMs <= 0 || (await this.hasOtherCredentials())) return;
      await clock.sleep(Math.min(leftMs, LOOK_AT_CREDENTIALS_MS), signal);
    }
  }

  /** Whether the credentials are others than those that were refused. */
  async hasOtherCredentials(): Promise<boolean> {
    const { reason } = this.#health;
    if (reason !== 'LoginRefused' && reason !== 'CredentialsMissing') return false;
    const now = await this.#settings.server.credentials().catch(() => undefined);
    return now !== undefined && (now.user !== this.#tried?.user || now.password !== this.#tried.password);
  }

  connecting(): void {
    if (this.#health.state !== 'Down') this.#set({ state: 'Connecting' });
  }

  /** @param notice  what is not as it should be, although the server is there */
  up(way: ServerHealth['way'], notice?: ServerFault): void {
    if (this.#health.state !== 'Up') this.#upSinceMs = this.#settings.clock.monotonicMs();
    this.#set({ state: 'Up', ...(way === undefined ? {} : { way }), ...this.#words(notice) });
  }

  down(fault: ServerFault): void {
    const { clock, pauses } = this.#settings;
    if (this.#health.state === 'Up' && clock.monotonicMs() - this.#upSinceMs >= pauses.steadyMs) this.#failures = 0;
    this.#failures += 1;
    this.#set({ state: 'Down', ...this.#words(fault) });
  }

  /** A try of something that needs no lasting connection went well. */
  succeeded(): void {
    this.#failures = 0;
    this.up(undefined);
  }

  off(): void {
    this.#set({ state: 'Off' });
  }

  #pauseMs(): number {
    if (this.#failures === 0) return 0;
    const { pauses, random } = this.#settings;
    const policy = this.#health.reason === 'LoginRefused' ? pauses.loginAgain : pauses.again;
    return backoffMs(policy, this.#failures - 1, random());
  }

  #words(fault: ServerFault | undefined): Pick<ServerHealth, 'reason' | 'message'> {
    return fault === undefined ? {} : { reason: fault, message: faultText(fault, this.#settings.server) };
  }

  #set(next: Omit<ServerHealth, 'sinceMs'>): void {
    const isSame = next.state === this.#health.state && next.reason === this.#health.reason;
    this.#health = { ...next, sinceMs: isSame ? this.#health.sinceMs : this.#settings.clock.nowMs() };
  }
}
