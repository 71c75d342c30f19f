/** The Secrets that an agent reads, with the keys of each. Pure. */
import type { BootAgent } from '@retainer/contract/wire/boot';

export interface MountedSecret {
  readonly name: string;
  /** Ascending. */
  readonly keys: readonly string[];
}

const MAIL_KEYS = ['username', 'password'] as const;
const GIT_KEYS = ['ssh-privatekey', 'username', 'password'] as const;

/** Sorted by name, so that a reordered spec does not change the pod. */
export function mountedSecrets({ spec }: BootAgent): readonly MountedSecret[] {
  const { models, tools, channels, memory } = spec;
  const single = [
    models.apiKeySecretRef,
    memory.embedding.apiKeySecretRef,
    tools.search.apiKeySecretRef,
    channels.chat.tokenSecretRef,
    ...tools.mcpServers.map(({ tokenSecretRef }) => tokenSecretRef),
  ].flatMap((ref) => (ref === undefined ? [] : [ref]));
  const whole = [
    ...keysOf(channels.email?.credentialsSecretRef, MAIL_KEYS),
    ...keysOf(memory.gitRemote?.credentialsSecretRef, GIT_KEYS),
  ];
  const refs = [...single, ...whole];
  const names = [...new Set(refs.map(({ name }) => name))].toSorted();
  return names.map((name) => ({
    name,
    keys: [...new Set(refs.filter((ref) => ref.name === name).map(({ key }) => key))].toSorted(),
  }));
}

function keysOf(ref: { readonly name: string } | undefined, keys: readonly string[]) {
  return ref === undefined ? [] : keys.map((key) => ({ name: ref.name, key }));
}
