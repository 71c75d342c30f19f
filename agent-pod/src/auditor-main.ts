/**
 * The entry point of the auditor: a process with its own user and directory. It follows an agent's journal and detects later
 * changes. It reports to people only: no agent reads its files.
 *
 * Source: design 5.
 */
import { exitCodes, helpText, parseCommand } from './audit/auditor-options.ts';
import { runAuditor, type AuditorProcess } from './audit/run-auditor.ts';
import { JudgeRefused, startJudge } from './audit/start-judge.ts';
import type { Judge } from './audit/judging.ts';
import { readAuditorConfig, type AuditorConfig } from './config.ts';
import type { RedisAddress } from './bus/redis-address.ts';
import { watchSharedBus } from './bus/open-bus.ts';
import { redisOfFile } from './pod/pod-redis.ts';
import { ok, type Result } from '@retainer/contract/std/result';
import { processLog } from '@retainer/kube/process-log';
import { systemClock } from '@retainer/contract/std/system-clock';

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  if (!command.ok) {
    process.stderr.write(`${command.error}\nTry --help.\n`);
    return exitCodes.usage;
  }
  if (command.value.type === 'Help') {
    process.stdout.write(helpText);
    return exitCodes.fine;
  }
  const config = readAuditorConfig();
  if (!config.ok) {
    process.stderr.write(`the environment has errors: ${config.error.join('; ')}\n`);
    return exitCodes.usage;
  }
  const redis = await redisOf(config.value);
  if (redis?.ok === false) {
    process.stderr.write(`the bus cannot be read: ${redis.error}\n`);
    return exitCodes.usage;
  }
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  const judge = startJudge(stop.signal);
  const { options, endsWithInput } = command.value;
  if (endsWithInput) process.stdin.on('close', () => stop.abort()).resume();
  if (options.characterFiles.length > 0 && !(await canRead(options.characterFiles, judge))) return exitCodes.usage;
  return runAuditor(options, {
    clock: systemClock,
    signal: stop.signal,
    log: processLog({ clock: systemClock }),
    judge,
    ...busOf(config.value?.agent, redis?.value),
  });
}

/** A batch of nothing: the judge reads the characters, and tells what is wrong with them. */
async function canRead(characterFiles: readonly string[], judge: Judge): Promise<boolean> {
  try {
    await judge({ directory: '', characterFiles, once: true, bornAtOrder: -1, ends: [] });
    return true;
  } catch (error) {
    if (error instanceof JudgeRefused) return false;
    throw error;
  }
}

async function redisOf(config: AuditorConfig | undefined): Promise<Result<RedisAddress, string> | undefined> {
  if (config === undefined) return undefined;
  return 'urlFile' in config.redis ? redisOfFile(config.redis.urlFile) : ok(config.redis);
}

/** Listens on the shared bus if the agent has one, else on the agent's socket. */
function busOf(agent = '', address?: RedisAddress): Pick<AuditorProcess, 'followBus'> {
  if (address === undefined) return {};
  return { followBus: (watch, signal) => watchSharedBus({ address, agent, clock: systemClock }, watch, signal) };
}

process.exitCode = await main();
