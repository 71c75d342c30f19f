/** The command line of the auditor. Pure. */
import { parseArgs } from 'node:util';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { SetAside } from './head-record.ts';
import type { Telling } from './told-file.ts';
import { LOOK_EVERY_MS_MAX } from './store-watch.ts';

export interface AuditorOptions {
  readonly journalDirectory: string;
  /** Undefined: without memory, the auditor judges only the chain itself. */
  readonly ownDirectory: string | undefined;
  /** Socket on which the agent's process shows the messages of its bus. */
  readonly busSocket: string | undefined;
  /** Files with one CharacterSpec each, from outside the journal. */
  readonly characterFiles: readonly string[];
  readonly once: boolean;
  readonly lookEveryMs: number;
  readonly metricsFile: string | undefined;
  /** In a pod: ends with a termination message when its alarms become others. */
  readonly telling: Telling | undefined;
  readonly port: number | undefined;
  /** Serves on every address, not only loopback: in a pod, scrapers and probes come from outside. */
  readonly listenAll: boolean;
  /** A store whose old heads a person excludes from the comparison, or a gap that a person acknowledges. */
  readonly setAside: SetAside | undefined;
}

export const exitCodes = {
  fine: 0,
  /** Invalid command line. */
  usage: 2,
  /** With `--once`: an alarm is open. With `--tell`: the alarms have changed; it is to be started again. */
  alarm: 3,
  /** A file or port is not usable. */
  environment: 4,
  /** The auditor's own record is broken, or takes no entries. */
  ownRecord: 5,
} as const;

const DEFAULT_LOOK_EVERY_SECONDS = 2;

export const helpText = `retainer-auditor: follows an agent's journal and keeps its heads, to find later changes

Usage:
  node agent-pod/dist/auditor-main.js --journal DIR --own DIR [options]
  node agent-pod/dist/auditor-main.js --journal DIR --once [--own DIR]

Options:
  --journal DIR           journal of the agent; the auditor only reads it, so the mount may be read-only
  --own DIR               the auditor's own directory: kept heads, signing key, positions; the agent must not have access to it
  --bus SOCKET            read the messages of the agent's bus there, and compare them with the journal
  --character FILE        a CharacterSpec from outside the journal, as YAML or JSON; may be given more than once. Verdicts are
                          decided anew with it where the journal lacks it; followed, the agent may decide under no other
  --once                  check the whole journal once, report, end; for a copy or a stopped agent
  --look-seconds N        pause between two checks, 1 to ${LOOK_EVERY_MS_MAX / 1000} (default ${DEFAULT_LOOK_EVERY_SECONDS})
  --metrics-file FILE     write metrics there after every check, in the Prometheus text format
  --tell FILE             in a pod: when the alarms become others, write them there and end, to be started again; needs --life
  --life ID               what differs from pod to pod, so that a new pod is told again
  --port N                serve /metrics, /healthz and /report on 127.0.0.1
  --listen-all            serve them on every address: in a pod
  --set-aside STORE       accept the present state of STORE: no longer compare its older heads; needs --reason, then ends;
                          STORE may be "bus": the findings on messages so far; or STORE/SEQUENCE: acknowledge the gap there,
                          which needs --by, too
  --reason TEXT           the reason, which is recorded
  --by NAME               the person who accepts or acknowledges it, which is recorded
  --end-with-input        end when the standard input ends: with the program that started it
  --help                  this text

Findings and changes of state are JSON lines on standard output.

Exit codes:
  0  ended normally, no finding          4  a file cannot be read, or a port or socket not opened
  2  an error in the command line        5  the auditor's own record is broken or accepts no entries
  3  --once: the journal was changed; --tell: the alarms are others than before

Examples:
  node agent-pod/dist/auditor-main.js --journal /data/journal --own /audit --port 9465
  node agent-pod/dist/auditor-main.js --journal /data/journal --own /audit --bus /data/bus.sock --port 9091 --listen-all
  node agent-pod/dist/auditor-main.js --journal ./copy/journal --own /audit --once
  node agent-pod/dist/auditor-main.js --journal /data/journal --own /audit --set-aside cycle --reason "restored backup of 3 May"
`;

const options = {
  journal: { type: 'string' },
  own: { type: 'string' },
  bus: { type: 'string' },
  character: { type: 'string', multiple: true },
  once: { type: 'boolean' },
  'look-seconds': { type: 'string' },
  'metrics-file': { type: 'string' },
  tell: { type: 'string' },
  life: { type: 'string' },
  port: { type: 'string' },
  'listen-all': { type: 'boolean' },
  'set-aside': { type: 'string' },
  reason: { type: 'string' },
  by: { type: 'string' },
  'end-with-input': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

export type ParsedCommand =
  | { readonly type: 'Help' }
  | { readonly type: 'Audit'; readonly options: AuditorOptions; readonly endsWithInput?: true };

/** @returns the command, or one sentence that names the fault */
export function parseCommand(argv: readonly string[]): Result<ParsedCommand, string> {
  let values: Values;
  try {
    values = parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
  if (values.help === true) return ok({ type: 'Help' });
  const wrong = wrongUse(values);
  if (wrong !== undefined) return err(wrong);
  const lookEverySeconds = wholeNumber(values['look-seconds']) ?? DEFAULT_LOOK_EVERY_SECONDS;
  return ok({
    type: 'Audit',
    ...(values['end-with-input'] === true ? { endsWithInput: true as const } : {}),
    options: {
      journalDirectory: values.journal ?? '',
      ownDirectory: values.own,
      busSocket: values.bus,
      characterFiles: values.character ?? [],
      once: values.once === true,
      lookEveryMs: lookEverySeconds * 1000,
      metricsFile: values['metrics-file'],
      telling: tellingOf(values),
      port: wholeNumber(values.port),
      listenAll: values['listen-all'] === true,
      setAside: setAsideOf(values),
    },
  });
}

function tellingOf({ tell: file, life }: Values): AuditorOptions['telling'] {
  return file === undefined || life === undefined ? undefined : { file, life };
}

function setAsideOf({ 'set-aside': store, reason, by }: Values): AuditorOptions['setAside'] {
  return store === undefined || reason === undefined ? undefined : { store, reason, by };
}

/** First match wins. */
const misuses: readonly { readonly when: (values: Values) => boolean; readonly say: string }[] = [
  { when: ({ journal }) => journal === undefined, say: '--journal DIR is missing' },
  {
    when: ({ own, once }) => own === undefined && once !== true,
    say: '--own DIR is missing; only --once works without it',
  },
  { when: ({ bus, once }) => bus !== undefined && once === true, say: '--bus cannot be used with --once' },
  { when: ({ own, 'set-aside': store }) => own === undefined && store !== undefined, say: '--set-aside needs --own' },
  { when: ({ tell, life }) => (tell === undefined) !== (life === undefined), say: '--tell and --life need each other' },
  {
    when: ({ own, tell, once }) => tell !== undefined && (own === undefined || once === true),
    say: '--tell needs --own, and cannot be used with --once',
  },
  {
    when: ({ reason, 'set-aside': store }) => (reason === undefined) !== (store === undefined),
    say: '--set-aside and --reason need each other',
  },
  {
    when: ({ by, 'set-aside': store }) => store?.includes('/') === true && (by ?? '') === '',
    say: '--set-aside STORE/SEQUENCE needs --by NAME: who acknowledges the gap',
  },
  {
    when: ({ 'set-aside': store }) => store?.includes('/') === true && !/^[a-z][a-z0-9-]{0,47}\/\d{1,16}$/.test(store),
    say: '--set-aside takes a store, or the place of a gap such as cycle/21',
  },
  {
    when: (values) => !isWithin(values['look-seconds'], 1, LOOK_EVERY_MS_MAX / 1000),
    say: `--look-seconds is a whole number from 1 to ${LOOK_EVERY_MS_MAX / 1000}`,
  },
  { when: ({ port }) => !isWithin(port, 1, 65_535), say: '--port is a whole number from 1 to 65535' },
  {
    when: ({ port, 'listen-all': all }) => port === undefined && all === true,
    say: '--listen-all needs --port',
  },
];

function wrongUse(values: Values): string | undefined {
  return misuses.find(({ when }) => when(values))?.say;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isWithin(text: string | undefined, least: number, most: number): boolean {
  if (text === undefined) return true;
  return /^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most;
}
