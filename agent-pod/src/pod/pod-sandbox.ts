/** The sandbox of an agent on a cluster: SandboxRuns, and one watch on this agent's. */
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import { Informer } from '@retainer/kube/informer';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { settingsOf } from '../loop/agent-settings.ts';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import type { PodConfig } from '../config.ts';
import { redactor, type SecretValue } from '../infer/secrets.ts';
import type { SandboxPort } from '../ports/ports.ts';
import { concurrentMax } from '../sandbox/cluster/concurrent-max.ts';
import { createSandboxRunSandbox, type SandboxRunSandboxOptions } from '../sandbox/cluster/sandbox-run-sandbox.ts';

export interface SandboxParts {
  readonly config: Pick<PodConfig, 'agent' | 'sandboxNamespace' | 'dataDirectory'>;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly definition: Pick<AgentDefinition, 'agent'>;
  readonly secrets: readonly SecretValue[];
}

export interface PodSandbox {
  readonly sandbox: SandboxPort;
  /** Lists and watches until aborted. Resolves at once if the agent runs no code. */
  run(signal: AbortSignal): Promise<void>;
}

export function podSandbox({ config, client, clock, definition, secrets }: SandboxParts): PodSandbox {
  const { namespace, name, uid } = config.agent;
  const watch = new SandboxRunListeners();
  const informer = new Informer({
    client,
    clock,
    random: Math.random,
    resource: resources.sandboxRuns,
    namespaces: [namespace],
    fieldSelector: `spec.agentRef.name=${name}`,
    onChange: ({ before, after }) => watch.changed((after ?? before)?.metadata.name ?? '', after),
  });
  watch.known = (run) => informer.cache.get({ namespace, name: run });
  const { egress, root } = definition.agent.spec.sandbox;
  const sandbox = createSandboxRunSandbox({
    owner: { namespace, name, uid, egress, root },
    client,
    watch,
    clock,
    sandboxNamespace: config.sandboxNamespace,
    languages: settingsOf(definition.agent).sandbox.languages,
    directory: join(config.dataDirectory, 'sandbox'),
    redact: redactor(secrets),
    ...concurrentMax(definition.agent.spec.sandbox),
  });
  return {
    sandbox,
    run: (signal) => (config.sandboxNamespace === undefined ? Promise.resolve() : informer.run(signal)),
  };
}

type RunListener = (object: KubeObject | undefined) => void;

class SandboxRunListeners implements NonNullable<SandboxRunSandboxOptions['watch']> {
  readonly #byName = new Map<string, Set<RunListener>>();
  known: (name: string) => KubeObject | undefined = () => undefined;

  watchRun(name: string, onChange: RunListener): () => void {
    const listeners = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, listeners.add(onChange));
    const object = this.known(name);
    if (object !== undefined) onChange(object);
    return () => {
      listeners.delete(onChange);
      if (listeners.size === 0) this.#byName.delete(name);
    };
  }

  changed(name: string, object: KubeObject | undefined): void {
    for (const listener of this.#byName.get(name) ?? []) listener(object);
  }
}
