/** Where code runs in a world of the worst case. */
import type { SandboxPort } from '../ports/ports.ts';

/** A world in which no code runs does not start a sandbox for it. */
export const NO_CODE: SandboxPort = {
  probe: () => Promise.resolve({ ok: true, value: { description: 'none', languages: ['bash'] } }),
  run: () =>
    Promise.resolve({ end: 'Exited', exitCode: 1, stdout: '', stderr: 'no code', droppedBytes: 0, durationMs: 1 }),
  lookup: () => Promise.resolve(undefined),
};

/** What is served is written down: whoever may call it reads what it shows. */
export function serving(sandbox: SandboxPort, served: string[]): SandboxPort {
  return {
    probe: () => sandbox.probe(),
    run: (request, signal) => sandbox.run(request, signal),
    lookup: (...call) => sandbox.lookup(...call),
    serving: {
      serve: ({ idempotencyKey, script, ports, limits }) => {
        served.push(script);
        const shown = { id: idempotencyKey, ports, deadlineMs: limits.timeoutMs };
        return Promise.resolve({ type: 'Serving', serving: shown, isAnswering: true });
      },
      lookup: () => Promise.resolve(undefined),
      stop: () => Promise.resolve(true),
      list: () => [],
      forward: () => Promise.resolve(undefined),
      upgrade: () => Promise.reject(new Error('nothing serves here')),
    },
  };
}
