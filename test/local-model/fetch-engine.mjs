/** Installs the engine from the lockfile beside this file. The directory has its final name only when it is whole. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { engineFiles } from './cache.mjs';
import { runProgram } from './run-program.mjs';

/** Platforms with a built engine in the lockfile. Those for graphics cards are left out: they are seven times as large. */
const PLATFORMS = ['linux-x64', 'linux-arm64'];

const INSTALL = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * @param {{ readonly directory: string, readonly env: Readonly<Record<string, string | undefined>>, readonly platform: string,
 *   readonly say: (line: string) => void }} options
 * @throws an error that says what is missing, and what to do
 */
export async function fetchEngine({ directory, env, platform, say }) {
  if (!PLATFORMS.includes(platform))
    throw new Error(
      `there is no engine for ${platform}, only for ${PLATFORMS.join(' and ')}: use another server, docs/live.md`,
    );
  if (existsSync(directory)) return;
  say('engine: installing node-llama-cpp, 100 MB');
  await mkdir(dirname(directory), { recursive: true });
  const unfinished = await mkdtemp(`${directory}.`);
  try {
    for (const { name, url } of engineFiles) await copyFile(url, join(unfinished, name));
    const { code, output, isMissing } = await runProgram(INSTALL, { cwd: unfinished, env });
    if (isMissing) throw new Error('npm is not on the PATH: it comes with Node');
    if (code !== 0) throw new Error(`the engine was not installed: npm ci said: ${lastWords(output)}`);
    await rename(unfinished, directory).catch((error) => {
      // Another fetch was faster.
      if (!existsSync(directory)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  say('engine: installed');
}

/** Without the path of npm's own log. */
function lastWords(output) {
  const lines = output.split('\n').filter((line) => line.startsWith('npm error') && !line.includes('_logs'));
  return lines.join('; ') || output.trim();
}
