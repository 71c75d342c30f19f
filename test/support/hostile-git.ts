/**
 * Everything of a machine, a person and an environment that could steer a git, each set so that it would leave a trace or do harm:
 * it runs programs, sends what is pushed elsewhere, changes authors, contents and formats.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface HostileGit {
  /** Of a process that git could be started by. */
  readonly environment: Readonly<Record<string, string>>;
  /** A text of configuration with all of it. */
  readonly configuration: string;
  /** A program that leaves a trace. */
  readonly program: string;
  /** Has each hook. */
  readonly hooks: string;
  /** A program and its arguments under which `/etc` has a configuration and attributes of git, too. */
  readonly prefix: readonly string[];
  /** What ran, or was written, although it should not: a line for each. */
  readonly traces: () => readonly string[];
}

const HOOKS = [
  ...['applypatch-msg', 'pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push', 'post-rewrite'],
  ...['reference-transaction', 'post-index-change', 'pre-auto-gc', 'fsmonitor-watchman', 'update', 'pre-receive'],
];
/** Instead of those of the system. */
const PROGRAMS = ['git', 'git-remote-http', 'git-credential-hostile', 'ssh', 'cat', 'gpg'];

/**
 * @param directory  new
 * @param remoteUrl  that pushes go to
 */
export function hostileGit(directory: string, remoteUrl: string): HostileGit {
  const path = (...names: readonly string[]): string => join(directory, ...names);
  for (const name of ['hooks', 'programs', 'home/.config/git', 'template/hooks', 'etc', 'work'])
    mkdirSync(path(name), { recursive: true });
  const program = path('program');
  for (const file of [
    program,
    ...HOOKS.flatMap((hook) => [path('hooks', hook), path('template/hooks', hook)]),
    ...PROGRAMS.map((name) => path('programs', name)),
  ]) {
    writeFileSync(file, `#!/bin/sh\necho "$0 $*" >>${path('traces')}\n`);
    chmodSync(file, 0o755);
  }
  const configuration = configurationOf({ program, remoteUrl, traces: path('traces'), hooks: path('hooks') });
  const attributes = '* filter=hostile diff=hostile text eol=crlf ident export-subst working-tree-encoding=UTF-16\n';
  for (const file of [
    'home/.gitconfig',
    'home/.config/git/config',
    'etc/gitconfig',
    'template/config',
    'configuration',
  ])
    writeFileSync(path(file), configuration);
  for (const file of ['home/.config/git/attributes', 'etc/gitattributes']) writeFileSync(path(file), attributes);
  const overlay = `mount -t overlay overlay -o lowerdir=/etc,upperdir=${path('etc')},workdir=${path('work')} /etc`;
  return {
    environment: environmentOf(directory, configuration),
    configuration,
    program,
    hooks: path('hooks'),
    prefix: [
      '/usr/bin/unshare',
      '--map-root-user',
      '--mount',
      '/bin/sh',
      '-c',
      `/usr/bin/${overlay} && exec "$@"`,
      'sh',
    ],
    traces: () => linesOf(path('traces')),
  };
}

interface Harm {
  readonly program: string;
  readonly remoteUrl: string;
  readonly traces: string;
  readonly hooks: string;
}

function configurationOf({ program, remoteUrl, traces, hooks }: Harm): string {
  return [
    '[core]',
    ...['fsmonitor', 'pager', 'editor', 'sshCommand', 'askPass', 'gitProxy', 'alternateRefsCommand'].map(
      (name) => `\t${name} = ${program}`,
    ),
    `\thooksPath = ${hooks}\n\tautocrlf = true\n\tbare = true`,
    `[credential]\n\thelper = ${program}`,
    `[credential "${remoteUrl}"]\n\thelper = ${program}`,
    // Where nobody listens.
    `[url "http://127.0.0.1:9/"]\n\tinsteadOf = ${remoteUrl}\n\tpushInsteadOf = ${remoteUrl}`,
    '[http]\n\tproxy = http://127.0.0.1:9\n\textraHeader = X-Hostile: yes',
    `[filter "hostile"]\n\tclean = ${program}\n\tsmudge = ${program}\n\tprocess = ${program}\n\trequired = true`,
    `[diff "hostile"]\n\tcommand = ${program}\n\ttextconv = ${program}`,
    `[gpg]\n\tprogram = ${program}\n[commit]\n\tgpgSign = true\n[push]\n\tgpgSign = true\n\tfollowTags = true`,
    '[user]\n\tname = Mallory\n\temail = mallory@example.org\n\tsigningKey = none',
    '[protocol]\n\tallow = always\n[protocol "http"]\n\tallow = never',
    `[trace2]\n\teventTarget = ${traces}\n\tnormalTarget = ${traces}`,
    '[init]\n\tdefaultBranch = hostile\n\tdefaultObjectFormat = sha256',
    '[transfer]\n\thideRefs = refs/heads\n[pack]\n\tpackSizeLimit = 1m',
    '',
  ].join('\n');
}

function environmentOf(directory: string, configuration: string): Readonly<Record<string, string>> {
  const path = (...names: readonly string[]): string => join(directory, ...names);
  const program = path('program');
  const elsewhere = path('elsewhere');
  const programs = ['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'SSH_ASKPASS', 'GIT_PROXY_COMMAND', 'GIT_EDITOR'];
  const traces = [
    'GIT_TRACE',
    'GIT_TRACE2',
    'GIT_TRACE2_EVENT',
    'GIT_TRACE_CURL',
    'GIT_TRACE_PACKET',
    'GIT_TRACE_SETUP',
  ];
  const places = [
    ...['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE'],
    ...['GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_GRAFT_FILE', 'GIT_SHALLOW_FILE', 'GIT_REPLACE_REF_BASE'],
  ];
  return {
    HOME: path('home'),
    XDG_CONFIG_HOME: path('home/.config'),
    PATH: `${path('programs')}:${process.env['PATH']}`,
    GIT_EXEC_PATH: path('programs'),
    GIT_TEMPLATE_DIR: path('template'),
    GIT_CONFIG: path('configuration'),
    GIT_CONFIG_GLOBAL: path('configuration'),
    GIT_CONFIG_SYSTEM: path('configuration'),
    GIT_CONFIG_NOSYSTEM: '0',
    GIT_CONFIG_PARAMETERS: `'core.hooksPath'='${path('hooks')}' 'core.fsmonitor'='${program}'`,
    ...counted(configuration),
    ...Object.fromEntries(programs.map((name) => [name, program])),
    ...Object.fromEntries(traces.map((name) => [name, path('traces')])),
    ...Object.fromEntries(places.map((name) => [name, elsewhere])),
    GIT_EXTERNAL_DIFF: program,
    GIT_PAGER: program,
    GIT_AUTHOR_NAME: 'Mallory',
    GIT_COMMITTER_NAME: 'Mallory',
    GIT_COMMITTER_EMAIL: 'mallory@example.org',
    GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z',
    GIT_DEFAULT_HASH: 'sha256',
    GIT_ATTR_SOURCE: 'refs/heads/hostile',
    GIT_ALLOW_PROTOCOL: 'ext',
    GIT_TERMINAL_PROMPT: '1',
    GIT_OPTIONAL_LOCKS: '1',
    http_proxy: 'http://127.0.0.1:9',
    https_proxy: 'http://127.0.0.1:9',
    ALL_PROXY: 'http://127.0.0.1:9',
  };
}

/** The configuration in the form of `GIT_CONFIG_COUNT`. */
function counted(configuration: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  let section = '';
  let count = 0;
  for (const line of configuration.split('\n')) {
    const [, name, subsection] = /^\[(\w+)(?: "(.*)")?\]$/.exec(line) ?? [];
    if (name !== undefined) section = subsection === undefined ? name : `${name}.${subsection}`;
    const [, key, value] = /^\t(\w+) = (.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    found[`GIT_CONFIG_KEY_${count}`] = `${section}.${key}`;
    found[`GIT_CONFIG_VALUE_${count}`] = value;
    count += 1;
  }
  return { ...found, GIT_CONFIG_COUNT: String(count) };
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}
