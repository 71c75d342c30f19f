/**
 * The servers that run on this machine, one file for each. A file proves nothing: the server itself is asked, since after a crash
 * another program may have its number or its port.
 *
 * @typedef {object} Running
 * @property {number} pid
 * @property {string} url
 * @property {string} model
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds: a server that writes an answer looks up between two tokens. */
const ASK_MS = 10_000;

/** @param {string} directory @param {Running} server @returns {Promise<() => Promise<void>>} takes the note away */
export async function noteServer(directory, server) {
  await mkdir(directory, { recursive: true });
  const file = join(directory, `${server.pid}.json`);
  await writeFile(file, JSON.stringify(server));
  return () => rm(file, { force: true });
}

/** Those that answer; notes of others are taken away. @returns {Promise<readonly (Running & { readonly calls: number })[]>} */
export async function runningServers(directory) {
  const names = await readdir(directory).catch(() => []);
  const servers = await Promise.all(
    names.map(async (name) => {
      const file = join(directory, name);
      const running = await askServer(file);
      if (running === undefined) await rm(file, { force: true });
      return running;
    }),
  );
  return servers.filter((server) => server !== undefined);
}

async function askServer(file) {
  try {
    const noted = JSON.parse(await readFile(file, 'utf8'));
    const response = await fetch(noted.url, { signal: AbortSignal.timeout(ASK_MS) });
    const said = await response.json();
    return said.pid === noted.pid && said.model === noted.model ? { ...noted, calls: said.calls } : undefined;
  } catch {
    // Nobody there, somebody else, or half a note.
    return undefined;
  }
}
