import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './prepare.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a Node program with our standard streams and passes signals on. Resolves to its exit code, 128 + signal if killed. */
export function runNode(argv) {
  const child = spawn(process.execPath, argv, { cwd: root, stdio: 'inherit' });
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  child.on('exit', () => SIGNALS.forEach((signal) => process.off(signal, passOn)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal === null ? code : 128 + constants.signals[signal]));
  });
}
