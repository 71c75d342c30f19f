/** The programs of the agent's container, run on this machine: the scripts of the image, with other paths. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Node 20 has the same flag under another name. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

const PROGRAMS: ReadonlySet<string> = new Set(['retainer-read', 'retainer-tell', 'retainer-git']);

/** `env A=b … retainer-read ARG…` as in the image, with `data` for `/data`. */
export function containerProgram(command: readonly string[], data: string): readonly string[] {
  const at = command.findIndex((it) => PROGRAMS.has(it));
  const script = readFileSync(`${ROOT}cli/bin/${command[at]}.sh`, 'utf8')
    .replaceAll('/app/', ROOT)
    .replaceAll('=/app ', `=${ROOT} `)
    .replaceAll('=/data', `=${data}`)
    .replace('--permission', PERMISSION);
  const args = command.slice(at + 1).map((it) => (it === '/data' ? data : it));
  const path = `PATH=${dirname(process.execPath)}:/usr/bin:/bin`;
  return ['env', '-i', path, ...command.slice(1, at), 'sh', '-c', script, 'sh', ...args];
}
