import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './prepare.mjs';

/** Runs a Node program with our standard streams and passes signals on. Resolves to its exit code, 128 + signal if killed. */
export function runNode(argv) {
  const child = spawn(process.execPath, argv, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal === null ? code : 128 + constants.signals[signal]));
  });
}
