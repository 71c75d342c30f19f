/**
 * Proves that a sandbox on this machine isolates, before any other script runs. Pure: makes a script to run inside, and judges
 * its output against the host's facts.
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { SandboxLanguage } from '../../ports/sandbox-run.ts';
import { SANDBOX_UID, type Interpreters } from './bubblewrap-arguments.ts';

/** Each must differ inside. */
export const namespaceKinds = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'] as const;

export interface HostNamespaces {
  /** By kind, as `/proc/self/ns/KIND` reads on the host. */
  readonly namespaces: Readonly<Record<string, string>>;
}

/**
 * The script prints every answer by name, so a script that stops early or cannot run fails.
 *
 * @param port  of a listener on the host's loopback; reaching it fails the test
 */
export function selfTestScript(port: number, interpreters: Interpreters): string {
  const languages = {
    bash: 'true',
    javascript: `${interpreters.javascript ?? 'false'} -e 0`,
    python: `${interpreters.python ?? 'false'} -c 0`,
  } as const satisfies Record<SandboxLanguage, string>;
  return [
    'say() { printf "%s=%s\\n" "$1" "$2"; }',
    'try() { if eval "$2" >/dev/null 2>&1; then say "$1" yes; else say "$1" no; fi; }',
    'say uid "$UID"',
    ...namespaceKinds.map((kind) => `say ns.${kind} "$(readlink /proc/self/ns/${kind})"`),
    'while read -r name value _; do case $name in CapEff:|CapPrm:|NoNewPrivs:|Seccomp:) say "status.${name%:}" "$value";; esac; done < /proc/self/status',
    ...['/usr/retainer-probe', '/etc/retainer-probe', '/retainer-probe', '/proc/sys/kernel/hostname'].map(
      (path) => `try write.${path} ': > ${path}'`,
    ),
    `try connect ': <> /dev/tcp/127.0.0.1/${String(port)}'`,
    'try work ": > /workspace/retainer-probe"',
    ...Object.entries(languages).map(([name, command]) => `try language.${name} '${command}'`),
  ].join('\n');
}

interface Check {
  readonly key: string;
  readonly holds: (value: string, host: HostNamespaces) => boolean;
  readonly failure: string;
}

const isZero = (value: string): boolean => /^0+$/.test(value);

const checks: readonly Check[] = [
  { key: 'uid', holds: (value) => value === String(SANDBOX_UID), failure: 'scripts run as another user than intended' },
  ...namespaceKinds.map((kind): Check => ({
    key: `ns.${kind}`,
    holds: (value, host) => value !== '' && host.namespaces[kind] !== undefined && value !== host.namespaces[kind],
    failure: `the ${kind} namespace is the host's`,
  })),
  { key: 'status.CapEff', holds: isZero, failure: 'scripts hold capabilities' },
  { key: 'status.CapPrm', holds: isZero, failure: 'scripts hold capabilities' },
  { key: 'status.NoNewPrivs', holds: (value) => value === '1', failure: 'scripts can gain privileges' },
  { key: 'status.Seccomp', holds: (value) => value === '2', failure: 'the system call filter is not active' },
  ...['/usr/retainer-probe', '/etc/retainer-probe', '/retainer-probe', '/proc/sys/kernel/hostname'].map(
    (path): Check => ({
      key: `write.${path}`,
      holds: (value) => value === 'no',
      failure: `scripts can write ${path}`,
    }),
  ),
  { key: 'connect', holds: (value) => value === 'no', failure: "scripts reach the host's network" },
  { key: 'work', holds: (value) => value === 'yes', failure: 'scripts cannot write their workspace' },
  { key: 'language.bash', holds: (value) => value === 'yes', failure: 'the self-test did not run to its end' },
];

/** @param output  of the script. @returns the languages that run, or the first failure in words, such as no answer */
export function judgeSelfTest(output: string, host: HostNamespaces): Result<readonly SandboxLanguage[], string> {
  const answers = new Map(
    output.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const failed = checks.find(({ key, holds }) => !holds(answers.get(key) ?? '', host));
  if (failed !== undefined) return err(failed.failure);
  const languages: readonly SandboxLanguage[] = ['bash', 'javascript', 'python'];
  return ok(languages.filter((language) => answers.get(`language.${language}`) === 'yes'));
}
