/** Reads the environment; no other module does. */
import { CANARY_ENV, CanaryTarget } from '@retainer/contract/wire/canary';
import { PORTS } from '@retainer/contract/api/names';
import { parseJson } from '@retainer/contract/std/parse-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { RUNNER_ENV, RUNNER_TMP_DIRECTORY, RUNNER_WORK_DIRECTORY } from '@retainer/contract/wire/runner';
import { z } from 'zod';

/** The file from which the kubelet reads a container's last message. */
const TERMINATION_LOG = '/dev/termination-log';

export interface RunnerConfig {
  readonly podUid: string;
  /** Exactly one of the two keys; Ed25519, 32 bytes, base64. */
  readonly claimantKey?: string | undefined;
  readonly operatorKey?: string | undefined;
  /** Largest sum of all files in both directories. */
  readonly scratchBytes: number;
  /** A runner whose code does not run ends after this time without a request. */
  readonly idleMs: number;
  readonly maxRunMs: number;
  /** Sandboxes, this one included, that its user may have on one node; 1 if absent. */
  readonly userSandboxes?: number | undefined;
  /** All addresses where absent. */
  readonly host?: string;
  readonly port: number;
  readonly workDirectory: string;
  readonly tmpDirectory: string;
  readonly terminationLog: string;
}

const SECONDS_MAX = 86_400;
/** Far above the sandboxes of one Agent. */
const USER_SANDBOXES_MAX = 1024;
const key = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64');
const seconds = z.coerce.number().int().min(1).max(SECONDS_MAX);

const Environment = z
  .object({
    [RUNNER_ENV.podUid]: z.string().min(1).max(64),
    [RUNNER_ENV.claimantKey]: key.optional(),
    [RUNNER_ENV.operatorKey]: key.optional(),
    [RUNNER_ENV.scratchBytes]: z.coerce.number().int().min(1),
    [RUNNER_ENV.idleSeconds]: seconds,
    [RUNNER_ENV.maxRunSeconds]: seconds,
    [RUNNER_ENV.userSandboxes]: z.coerce.number().int().min(1).max(USER_SANDBOXES_MAX).optional(),
  })
  .refine((env) => (env[RUNNER_ENV.claimantKey] === undefined) !== (env[RUNNER_ENV.operatorKey] === undefined), {
    path: [RUNNER_ENV.claimantKey],
    message: `exactly one of ${RUNNER_ENV.claimantKey} and ${RUNNER_ENV.operatorKey} must be set`,
  });

/** The error names the variable and what is wrong with it. */
export function runnerConfig(): Result<RunnerConfig, string> {
  // An empty variable is one that a template omitted.
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) return err(issueText(parsed.error));
  const env = parsed.data;
  return ok({
    podUid: env[RUNNER_ENV.podUid],
    claimantKey: env[RUNNER_ENV.claimantKey],
    operatorKey: env[RUNNER_ENV.operatorKey],
    scratchBytes: env[RUNNER_ENV.scratchBytes],
    idleMs: env[RUNNER_ENV.idleSeconds] * 1000,
    maxRunMs: env[RUNNER_ENV.maxRunSeconds] * 1000,
    userSandboxes: env[RUNNER_ENV.userSandboxes],
    port: PORTS.sandboxRunner,
    workDirectory: RUNNER_WORK_DIRECTORY,
    tmpDirectory: RUNNER_TMP_DIRECTORY,
    terminationLog: TERMINATION_LOG,
  });
}

export interface CanaryConfig {
  readonly targets: readonly CanaryTarget[];
  /** Time to wait until it is reached; then it continues all the same. */
  readonly waitMs: number;
  readonly port: number;
  readonly terminationLog: string;
}

const CanaryEnvironment = z.object({
  [CANARY_ENV.targets]: z
    .string()
    .transform((text, context) => parseJson(text) ?? context.addIssue('must be JSON'))
    .pipe(z.array(CanaryTarget).min(1)),
  [CANARY_ENV.waitSeconds]: seconds,
});

/** The error names the variable and what is wrong with it. */
export function canaryConfig(): Result<CanaryConfig, string> {
  const parsed = CanaryEnvironment.safeParse(process.env);
  if (!parsed.success) return err(issueText(parsed.error));
  return ok({
    targets: parsed.data[CANARY_ENV.targets],
    waitMs: parsed.data[CANARY_ENV.waitSeconds] * 1000,
    port: PORTS.sandboxRunner,
    terminationLog: TERMINATION_LOG,
  });
}

function issueText(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
