/** Made load. Processes of our own priority: niced ones would give way to the tests, and no test would notice them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BUSY = fileURLToPath(new URL('busy.mjs', import.meta.url));

/**
 * @param {number} count
 * @returns {{ lost(): number, end(): Promise<void> }} lost: how many have ended by themselves, so that the load was a smaller one
 */
export function startLoad(count) {
  const children = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, [BUSY], { stdio: ['pipe', 'ignore', 'inherit'] });
    return { child, exited: once(child, 'exit') };
  });
  return {
    lost: () => children.filter(({ child }) => child.exitCode !== null || child.signalCode !== null).length,
    async end() {
      for (const { child } of children) child.stdin.destroy();
      await Promise.all(children.map(({ exited }) => exited));
    },
  };
}
