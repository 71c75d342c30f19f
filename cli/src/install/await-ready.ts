/** Waits until the operator leads and the egress proxy accepts connections, and reports each change on the way. */
import type { Clock } from '@retainer/contract/std/clock';
import { diagnose, type Diagnosis, type Finding } from '../doctor/checks.ts';
import type { Facts } from '../doctor/facts.ts';

/** Between two looks. */
const LOOK_MS = 2_000;
/** Checks that must pass before agents can run. */
const AWAITED: ReadonlySet<string> = new Set([
  'api-server',
  'definitions',
  'operator',
  'leader',
  'signing-key',
  'egress-proxy',
  'images',
]);

export interface AwaitOptions {
  readonly observe: () => Promise<Facts>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Called for a check whose result has changed. */
  readonly onChange: (finding: Finding) => void;
  readonly signal: AbortSignal;
}

export type Awaited =
  | { readonly type: 'Ready' }
  /** The faults that remain after that time. */
  | { readonly type: 'NotReady'; readonly diagnosis: Diagnosis }
  | { readonly type: 'Stopped' };

export async function awaitReady({ observe, clock, timeoutMs, onChange, signal }: AwaitOptions): Promise<Awaited> {
  const endsMs = clock.monotonicMs() + timeoutMs;
  const before = new Map<string, Finding>();
  for (;;) {
    const findings = diagnose(await observe()).findings.filter(({ check }) => AWAITED.has(check));
    if (signal.aborted) return { type: 'Stopped' };
    const open = findings.filter(isOpen);
    for (const finding of findings) {
      if (isNews(finding, before.get(finding.check))) onChange(finding);
      before.set(finding.check, finding);
    }
    if (open.length === 0) return { type: 'Ready' };
    if (clock.monotonicMs() >= endsMs) return { type: 'NotReady', diagnosis: { status: 'fail', findings: open } };
    const isWaiting = await clock.sleep(LOOK_MS, signal).then(
      () => true,
      () => false,
    );
    if (!isWaiting) return { type: 'Stopped' };
  }
}

function isOpen({ status }: Finding): boolean {
  return status === 'fail' || status === 'warn';
}

/** A check that is ok at first gives no line; one that becomes ok gives one. */
function isNews(finding: Finding, before: Finding | undefined): boolean {
  if (isOpen(finding)) return before?.status !== finding.status || before.seen !== finding.seen;
  return before !== undefined && isOpen(before);
}
