import type { SandboxPort } from '@retainer/agent-pod/ports/ports';

/** A machine that cannot isolate anything. */
export const unavailableSandbox: SandboxPort = {
  probe: () =>
    Promise.resolve({ ok: false, error: { reason: 'bubblewrap is missing.', fix: 'apt-get install bubblewrap' } }),
  run: () => Promise.reject(new Error('a sandbox that is not available was asked to run code')),
  lookup: () => Promise.resolve(undefined),
};
