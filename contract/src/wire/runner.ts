/**
 * The HTTP protocol between an agent and a sandbox runner, on one port. The runner is the first process of a sandbox pod. It
 * obeys only its claimant, and serves one run in its life.
 *
 * Every request but `GET /healthz` carries the three headers below. `signature` is Ed25519, by the claimant's private key,
 * over {@link signedText}. `sequence` rises with every request, possibly with gaps. The runner refuses any other, so an
 * eavesdropper cannot replay a request. A request without a body has the digest of no bytes.
 *
 *   GET  /healthz   200 once it listens. With `?unclaimed`: 503 once somebody has claimed it
 *   POST /claim     warm runners only: body {@link Claim}; 204. The same claim again is 204; another one is 409
 *   POST /files     body: frames, see {@link FrameHeader}. Files and links below the work directory; 204. Before `/run` only, once: the
 *                   same body again is 204; another one is 409
 *   POST /run       after `/files`: body {@link RunRequest}; 202. The same request again is 202; another one is 409
 *   GET  /output?from=N   streams the events from number N on, one {@link RunEvent} per line; ends after `Ended`. An empty line
 *                   every {@link RUNNER_HEARTBEAT_MS} is a sign of life
 *   GET  /files     after the end: frames of the files, and of the links where the claimant takes them, that are new or changed
 *                   since `POST /files`; removed ones as a frame of type `Removed`. 413 if they exceed one archive, or the work directory exceeds the scratch space: the
 *                   next run could not begin
 *   POST /stop      204, then the runner kills everything and ends; its termination message says `released`
 *   any  /serve/NAME/PATH   mode Serve, while the code runs: forwarded to the port of that name, upgrades too. Bodies up to
 *                   {@link RUNNER_JSON_BYTES_MAX}
 *
 * Errors are {@link RunnerError} with 400 (malformed), 401 (signature, sequence), 409 (state), 413 (a limit), 404, 502 (a
 * served port does not answer).
 *
 * The runner shares its pod and user with the code, so its answers are as untrusted as the code. Readers bound and check them.
 *
 * Source: design 7 (sandbox transport).
 */
import { z } from 'zod';
import { DNS_LABEL_LENGTH_MAX, RelativePath, Sha256Digest } from '../api/fields.ts';

export const RUNNER_HEADERS = {
  sequence: 'retainer-sequence',
  digest: 'retainer-digest',
  signature: 'retainer-signature',
} as const;

export const RUNNER_PATHS = {
  health: '/healthz',
  claim: '/claim',
  files: '/files',
  run: '/run',
  output: '/output',
  stop: '/stop',
  /** Followed by the name of the port, `/`, and the path there. */
  serve: '/serve/',
} as const;

/** Query of `/healthz`. */
export const UNCLAIMED_QUERY = 'unclaimed';

/** Environment of a runner. A cold one gets its claimant's key, a warm one the key of the operator, who names the claimant. */
export const RUNNER_ENV = {
  podUid: 'RETAINER_POD_UID',
  claimantKey: 'RETAINER_CLAIMANT_KEY',
  operatorKey: 'RETAINER_OPERATOR_KEY',
  /** Limit of all files in the work directory together, bytes. */
  scratchBytes: 'RETAINER_SCRATCH_BYTES',
  /** Seconds after which an unclaimed runner ends. */
  idleSeconds: 'RETAINER_IDLE_SECONDS',
  /** Limit of a run, whatever the claimant requests. */
  maxRunSeconds: 'RETAINER_MAX_RUN_SECONDS',
  /** Number of sandboxes that the kernel may count as one user's; 1 if absent. */
  userSandboxes: 'RETAINER_USER_SANDBOXES',
} as const;

/** The directory of user files and code in a sandbox pod; only this and the next one are writable. */
export const RUNNER_WORK_DIRECTORY = '/workspace';
export const RUNNER_TMP_DIRECTORY = '/tmp';

/** The signed text of one request. `path` includes the query; `digest` is that of the body, as in the header. */
export function signedText(request: {
  readonly podUid: string;
  readonly method: string;
  readonly path: string;
  readonly sequence: number;
  readonly digest: string;
}): string {
  const { podUid, method, path, sequence, digest } = request;
  return ['retainer-runner/1', podUid, method, path, String(sequence), digest].join('\n');
}

const PublicKey = z.string().regex(/^[A-Za-z0-9+/]{43}=$/);
const Signature = z.string().regex(/^[A-Za-z0-9+/]{86}==$/);

/** The operator's signed statement of a pod's claimant, for one SandboxRun. */
export const Claim = z.object({
  podUid: z.string().min(1).max(64),
  /** Uid of the SandboxRun. */
  runUid: z.string().min(1).max(64),
  /** Ed25519 public key of the claimant: 32 bytes, base64. */
  publicKey: PublicKey,
  /** By the operator's key, over {@link claimText}: 64 bytes, base64. */
  signature: Signature,
});
export type Claim = z.infer<typeof Claim>;

export function claimText({ podUid, runUid, publicKey }: Omit<Claim, 'signature'>): string {
  return ['retainer-claim/1', podUid, runUid, publicKey].join('\n');
}

/** Largest body of `POST /files` and largest answer of `GET /files`: one workspace. */
export const RUNNER_ARCHIVE_BYTES_MAX = 268_435_456;
export const RUNNER_FILES_MAX = 20_000;
export const RUNNER_JSON_BYTES_MAX = 16_777_216;
/** Interval of signs of life in the output; after three missing ones the connection is dead. */
export const RUNNER_HEARTBEAT_MS = 10_000;

/** Bytes of the text of a link: the limit of Linux. */
export const LINK_BYTES_MAX = 4095;

/**
 * One line of JSON, then `sizeBytes` bytes of content; the next header follows without a separator. The last frame of an
 * archive is `End`. Coded by `frames.ts`, which also keeps the limits.
 */
export const FrameHeader = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('File'),
    path: RelativePath,
    sizeBytes: z.int().min(0).max(RUNNER_ARCHIVE_BYTES_MAX),
    isExecutable: z.boolean(),
    /** For the code. Best effort inside the sandbox; the agent refuses changes when it takes files back. */
    isReadOnly: z.boolean(),
  }),
  /** A symbolic link; its content is its text, in UTF-8. Older runners refuse it, so a claimant sends them none. */
  z.object({ type: z.literal('Link'), path: RelativePath, sizeBytes: z.int().min(1).max(LINK_BYTES_MAX) }),
  z.object({ type: z.literal('Removed'), path: RelativePath, sizeBytes: z.literal(0) }),
  z.object({
    type: z.literal('End'),
    sizeBytes: z.literal(0),
    /** Number of pipes, devices, unsuitable names, and links that it does not carry, which the archive omits. */
    skippedEntries: z.int().min(0),
  }),
]);
export type FrameHeader = z.infer<typeof FrameHeader>;

/** Exactly one of `command` and `script`. */
export const RunRequest = z.object({
  command: z.array(z.string().max(4096)).min(1).max(64).optional(),
  script: z
    .object({ language: z.enum(['Bash', 'JavaScript', 'Python']), text: z.string(), digest: Sha256Digest })
    .optional(),
  stdin: z.string(),
  timeoutMs: z.int().min(1000).max(86_400_000),
  limits: z.object({
    processes: z.int().min(1).max(4096),
    /** Kept bytes, for standard output and standard error each. */
    outputBytes: z.int().min(1024).max(67_108_864),
  }),
  /** `http://grant:GRANT@host:port`, if the SandboxRun has egress. The code sees it in its environment. */
  proxyUrl: z.string().max(4500).optional(),
  /** The claimant takes frames of type `Link`. Absent: links do not come back. */
  takesLinks: z.boolean().optional(),
  /** Mode Serve: names and ports that are forwarded under `/serve/NAME/`. */
  ports: z
    .array(z.object({ name: z.string().max(DNS_LABEL_LENGTH_MAX), port: z.int().min(1024).max(65_535) }))
    .max(5)
    .default([]),
});
export type RunRequest = z.infer<typeof RunRequest>;

/** Numbered from 0. Output is bounded; `Ended` counts the dropped bytes. */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Started') }),
  z.object({ type: z.literal('Output'), stream: z.enum(['stdout', 'stderr']), base64: z.string() }),
  z.object({
    type: z.literal('Ended'),
    end: z.enum(['Exited', 'TimedOut', 'Killed']),
    /** 128 + signal number if a signal ended it. */
    exitCode: z.int().min(0).max(255),
    droppedBytes: z.int().min(0),
    durationMs: z.int().min(0),
    /** The limit that ended it, in words. */
    reason: z.string().max(256).optional(),
  }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

export const RunnerError = z.object({ reason: z.string().max(64), message: z.string().max(1024) });
export type RunnerError = z.infer<typeof RunnerError>;

/** The runner's termination message for the operator: bounded, without output. */
export const RunnerEnd = z.object({
  end: z.enum(['Exited', 'TimedOut', 'Killed', 'NotClaimed', 'Stopped']),
  exitCode: z.int().optional(),
  truncated: z.boolean(),
  durationMs: z.int().min(0),
  /** The claimant had all that it wanted before it asked the runner to end: nobody waits for an account of the run. */
  released: z.boolean().optional(),
});
export type RunnerEnd = z.infer<typeof RunnerEnd>;
