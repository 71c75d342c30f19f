/** Reads the URL of the bus's Redis from a mounted file: it contains a password, so it is never an environment variable. */
import type { Agent } from '@retainer/contract/api/agent';
import { err, type Result } from '@retainer/contract/std/result';
import { BootError } from '../boot/boot-error.ts';
import { readMountedText, readSecret } from '../boot/read-secrets.ts';
import { redisAddress, type RedisAddress } from '../bus/redis-address.ts';
import type { SecretValue } from '../infer/secrets.ts';

export interface PodRedis {
  readonly address: RedisAddress;
  readonly secrets: readonly SecretValue[];
}

const FIELD = 'spec.bus.redis.urlSecretRef';

/**
 * @param root  `MOUNTS.bus`
 * @returns  undefined if the Agent names no Redis
 * @throws BootError  SecretNotFound or SecretKeyNotFound, with the remedy; ReconcileFailed if the URL is wrong
 */
export async function podRedis({ bus: { redis } }: Agent['spec'], root: string): Promise<PodRedis | undefined> {
  if (redis === undefined) return undefined;
  const url = await readSecret(root, redis.urlSecretRef, FIELD);
  const address = redisAddress(url);
  if (!address.ok) throw new BootError('ReconcileFailed', `${FIELD}: ${address.error}`);
  const { password } = address.value;
  const secrets = [
    { name: 'redis-url', value: url },
    ...(password === undefined ? [] : [{ name: 'redis-password', value: password }]),
  ];
  return { address: address.value, secrets };
}

/** For a program without an Agent manifest. @returns an error that names the file and quotes nothing of it */
export async function redisOfFile(path: string): Promise<Result<RedisAddress, string>> {
  const url = await readMountedText(path);
  if (url === undefined) return err(`${path} cannot be read: the Secret in ${FIELD} does not exist, or lacks the key`);
  const address = redisAddress(url);
  return address.ok ? address : err(`${path}: ${address.error}`);
}
