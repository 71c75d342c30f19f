/**
 * A real Dovecot for tests: IMAP over TLS and LMTP on loopback, in a directory of its own, by root or by any user.
 *
 * What of it a test may change is in {@link DovecotOptions}; a change restarts it on the same ports, with the same letters.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Certified } from './certificates.ts';
import { freePort } from './free-port.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const STARTS_WITHIN_MS = 60_000;
const LOOKS_EVERY_MS = 20;
/** All letters of a mailbox, as `doveadm` prints them. */
const LISTING_BYTES_MAX = 512 * 1024 * 1024;

const run = promisify(execFile);
/** Debian has it where no user's PATH leads. */
const environment = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

/** Undefined: Dovecot is here. Else what a test prints that is skipped. */
export const noDovecot: string | undefined = (() => {
  try {
    execFileSync('dovecot', ['--version'], { env: environment, stdio: 'ignore' });
    return undefined;
  } catch {
    return 'needs Dovecot: apt-get install dovecot-imapd dovecot-lmtpd';
  }
})();

export interface MailUser {
  readonly address: string;
  readonly password: string;
}

export interface DovecotOptions {
  /** What the server offers; absent or empty: all it can. */
  readonly capabilities?: string;
  readonly certificate: Certified;
  /** Of each user's letters; absent: no limit. */
  readonly quotaBytes?: number;
  /** Of one user from one address. */
  readonly connectionsMax?: number;
  /** The special use of the mailbox for sent letters; absent: `\Sent`. Empty: it has none, and is known by its name alone. */
  readonly sentUse?: string;
  /** Its name; absent: `Sent`. */
  readonly sentName?: string;
}

export interface StoredLetter {
  readonly uid: number;
  /** Such as `\Seen`. */
  readonly flags: readonly string[];
  readonly raw: string;
}

/** The user that Dovecot's processes take: root starts them as nobody, and anybody else as itself. */
function owner(): { readonly user: string; readonly group: string; readonly ids?: readonly [number, number] } {
  const id = (...args: string[]): string => execFileSync('id', args, { encoding: 'utf8' }).trim();
  if (process.getuid?.() !== 0) return { user: userInfo().username, group: id('-gn') };
  return { user: 'nobody', group: 'nogroup', ids: [Number(id('-u', 'nobody')), Number(id('-g', 'nobody'))] };
}

export class Dovecot {
  readonly lmtpPort: number;
  readonly imapPort: number;
  readonly #directory = temporaryDirectory();
  readonly #owner = owner();
  #options: DovecotOptions;
  #child: ChildProcess | undefined;

  private constructor(options: DovecotOptions, ports: readonly [number, number]) {
    this.#options = options;
    [this.imapPort, this.lmtpPort] = ports;
    // Also where a test run is broken off.
    process.once('exit', () => endGroup(this.#child));
  }

  get sentName(): string {
    return this.#options.sentName ?? 'Sent';
  }

  static async start(users: readonly MailUser[], options: DovecotOptions): Promise<Dovecot> {
    const dovecot = new Dovecot(options, [await freePort(), await freePort()]);
    const letters = dovecot.#at('mail');
    mkdirSync(letters);
    // Its processes take another user, which must come through to the letters.
    chmodSync(dovecot.#directory.path, 0o755);
    if (dovecot.#owner.ids !== undefined) chownSync(letters, ...(dovecot.#owner.ids as [number, number]));
    dovecot.setUsers(users);
    await dovecot.start();
    return dovecot;
  }

  /** Read anew a second later, or at the next start. */
  setUsers(users: readonly MailUser[]): void {
    writeFileSync(this.#at('users'), users.map(({ address, password }) => `${address}:{PLAIN}${password}\n`).join(''));
  }

  /** Restarts it with these options; the others stay. */
  async change(options: Partial<DovecotOptions>): Promise<void> {
    await this.stop();
    this.#options = { ...this.#options, ...options };
    await this.start();
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    writeFileSync(this.#at('cert.pem'), this.#options.certificate.cert);
    writeFileSync(this.#at('key.pem'), this.#options.certificate.key);
    writeFileSync(this.#at('dovecot.conf'), this.#config());
    const args = ['-F', '-c', this.#at('dovecot.conf')];
    // A group of its own: sessions outlive the process that began them.
    const child = spawn('dovecot', args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    this.#child = child;
    for (const port of [this.imapPort, this.lmtpPort]) {
      for (let leftMs = STARTS_WITHIN_MS; !(await answers(port)); leftMs -= LOOKS_EVERY_MS) {
        if (child.exitCode !== null || leftMs <= 0) throw new Error(`Dovecot does not start: ${said}${this.log()}`);
        await sleep(LOOKS_EVERY_MS);
      }
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    endGroup(child);
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.#directory.remove();
  }

  /** What it wrote into its own log: who logged in, and each letter that was copied, flagged, deleted or expunged. */
  log(): string {
    try {
      return readFileSync(this.#at('log'), 'utf8');
    } catch {
      return '';
    }
  }

  /** Oldest first. */
  async letters(address: string, mailbox: string): Promise<readonly StoredLetter[]> {
    const said = await this.doveadm('-f', 'json', 'fetch', '-u', address, 'uid flags text', 'mailbox', mailbox);
    const rows = JSON.parse(said === '' ? '[]' : said) as { uid: string; flags: string; text: string }[];
    return rows.map(({ uid, flags, text }) => ({
      uid: Number(uid),
      flags: flags.split(' ').filter((flag) => flag !== ''),
      raw: text,
    }));
  }

  async mailboxes(address: string): Promise<readonly string[]> {
    return (await this.doveadm('mailbox', 'list', '-u', address)).split('\n').filter((name) => name !== '');
  }

  /** Puts a letter into a mailbox, as a provider does that keeps what its users send. */
  async save(address: string, mailbox: string, raw: Buffer): Promise<void> {
    const saving = spawn('doveadm', ['-c', this.#at('dovecot.conf'), 'save', '-u', address, '-m', mailbox], {
      env: environment,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const exited = once(saving, 'exit');
    saving.stdin?.end(raw);
    await exited;
  }

  async doveadm(...args: readonly string[]): Promise<string> {
    const all = ['-c', this.#at('dovecot.conf'), ...args];
    const { stdout } = await run('doveadm', all, { env: environment, maxBuffer: LISTING_BYTES_MAX });
    return stdout;
  }

  #at(file: string): string {
    return join(this.#directory.path, file);
  }

  #config(): string {
    const { user, group } = this.#owner;
    const { capabilities, quotaBytes, connectionsMax, sentUse = '\\Sent' } = this.#options;
    const quota = quotaBytes === undefined ? '' : ' quota';
    return `protocols = imap lmtp
hostname = mx.retainer.example
listen = 127.0.0.1
base_dir = ${this.#at('run')}
state_dir = ${this.#at('state')}
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
log_path = ${this.#at('log')}
auth_failure_delay = 0
ssl = required
ssl_cert = <${this.#at('cert.pem')}
ssl_key = <${this.#at('key.pem')}
mail_location = maildir:~/Maildir
mail_plugins = notify mail_log${quota}
${capabilities === undefined || capabilities === '' ? '' : `imap_capability = ${capabilities}`}
mail_max_userip_connections = ${connectionsMax ?? 100}
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${this.#at('users')}
}
userdb {
  driver = static
  args = uid=${user} gid=${group} home=${this.#at('mail')}/%u
}
namespace inbox {
  inbox = yes
  mailbox ${this.sentName} {
    auto = create
    ${sentUse === '' ? '' : `special_use = ${sentUse}`}
  }
}
plugin {
  mail_log_events = delete undelete expunge save copy mailbox_delete mailbox_rename flag_change
  mail_log_fields = uid box msgid flags
${quotaBytes === undefined ? '' : `  quota = maildir:User\n  quota_rule = *:bytes=${quotaBytes}\n  quota_grace = 0`}
}
protocol imap {
  mail_plugins = $mail_plugins${quota === '' ? '' : ' imap_quota'}
}
# A test that logs in with a wrong password must not make the next one wait.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${this.imapPort}
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${this.lmtpPort}
  }
}
`;
  }
}

function endGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
