/** Stands in for the operator in tests of the agent's sandbox: gives each SandboxRun a real runner on loopback. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { startRunner, type StartedRunner } from '../../sandbox-runner/src/start-runner.ts';
import type { FakeApiServer } from './fake-api-server/fake-api-server.ts';
import { keyPair, signedClaim } from './signed-runner-request.ts';

export interface SandboxOperatorOptions {
  readonly server: FakeApiServer;
  readonly directory: string;
  /** Runners stand ready, and are claimed. */
  readonly isWarm?: boolean;
  readonly scratchBytes?: number;
  /** The operator is away once the runs have sandboxes. */
  readonly leavesReleased?: boolean;
  /** What stands before a runner. @returns  its port */
  readonly before?: (runnerPort: number) => Promise<number>;
  /** In the place of a runner. */
  readonly status?: (run: KubeObject) => Record<string, unknown> | undefined;
}

const key = keyPair();

export class SandboxOperator {
  readonly #options: SandboxOperatorOptions;
  readonly #seen = new Set<string>();
  readonly #runners: StartedRunner[] = [];
  readonly #stop = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(options: SandboxOperatorOptions) {
    this.#options = options;
  }

  /** How many pods there were. */
  get count(): number {
    return this.#count;
  }

  /** Work and temporary directory, and termination log, of the runner for the nth run. */
  directoryOf(index: number): string {
    return join(this.#options.directory, `pod-${index}`);
  }

  start(): void {
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    for (const runner of this.#runners) runner.stop('the test is over');
    await Promise.all(this.#runners.map(({ ended }) => ended));
  }

  /** As if the node had gone. */
  async killRunners(): Promise<void> {
    for (const runner of this.#runners.splice(0)) {
      runner.stop('the node is gone');
      await runner.ended;
    }
  }

  async #watch(): Promise<void> {
    const { server } = this.#options;
    while (!this.#stop.signal.aborted) {
      for (const run of server.list(resources.sandboxRuns)) {
        if (this.#seen.has(run.metadata.uid ?? '')) continue;
        this.#seen.add(run.metadata.uid ?? '');
        await this.#schedule(run);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** As the operator deletes a run that its agent has released. */
  async #dropReleased({ metadata }: KubeObject, terminationLog: string): Promise<void> {
    const { server, leavesReleased = false } = this.#options;
    const { released } = JSON.parse(await readFile(terminationLog, 'utf8')) as { readonly released?: boolean };
    const { namespace = '', name, uid } = metadata;
    const isThere = server.get(resources.sandboxRuns, { namespace, name })?.metadata.uid === uid;
    if (released === true && isThere && !leavesReleased) server.remove(resources.sandboxRuns, { namespace, name });
  }

  async #schedule(run: KubeObject): Promise<void> {
    const { server, isWarm = false, scratchBytes = 64 * 1024 * 1024, status } = this.#options;
    const told = status?.(run);
    if (told !== undefined) return void server.putStatus(resources.sandboxRuns, { ...run, status: told });
    const directory = this.directoryOf(this.#count);
    const podUid = `pod-${this.#count}`;
    this.#count += 1;
    await mkdir(join(directory, 'workspace'), { recursive: true });
    await mkdir(join(directory, 'tmp'));
    const publicKey = (run['spec'] as { runnerPublicKey: string }).runnerPublicKey;
    const runner = await startRunner({
      podUid,
      ...(isWarm ? { operatorKey: key.publicKey } : { claimantKey: publicKey }),
      ...{ scratchBytes, idleMs: 60_000, maxRunMs: 60_000, host: '127.0.0.1', port: 0 },
      workDirectory: join(directory, 'workspace'),
      tmpDirectory: join(directory, 'tmp'),
      terminationLog: join(directory, 'termination-log'),
    });
    this.#runners.push(runner);
    void runner.ended.then(() => this.#dropReleased(run, join(directory, 'termination-log')));
    const runUid = run.metadata.uid ?? '';
    const { signature } = signedClaim(key, { podUid, runUid, publicKey });
    const claim = isWarm ? { claim: { runUid, signature } } : {};
    const endpoint = `127.0.0.1:${(await this.#options.before?.(runner.port)) ?? runner.port}`;
    server.putStatus(resources.sandboxRuns, { ...run, status: { endpoint, podUid, podName: podUid, ...claim } });
  }
}
