/** Where everything is kept: below the user's cache, nothing in the repository. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const here = new URL('.', import.meta.url);
const ENGINE_FILES = ['package.json', 'package-lock.json'];

/** @param {Readonly<Record<string, string | undefined>>} env */
export function cacheDirectory(env) {
  const root = env['XDG_CACHE_HOME']?.trim() || join(homedir(), '.cache');
  return join(root, 'retainer', 'local-model');
}

/** Another lockfile is another engine. */
export function engineDirectory(cache) {
  const hash = createHash('sha256');
  for (const name of ENGINE_FILES) hash.update(readFileSync(new URL(name, here)));
  return join(cache, `engine-${hash.digest('hex').slice(0, 16)}`);
}

/** What `npm ci` reads. */
export const engineFiles = ENGINE_FILES.map((name) => ({ name, url: new URL(name, here) }));

/** @param {string} cache @param {import('./weights.mjs').Weights} weights */
export const weightsFile = (cache, { sha256, model }) => join(cache, `${model}-${sha256.slice(0, 16)}.gguf`);

/** One file for each server that runs. */
export const serversDirectory = (cache) => join(cache, 'servers');
