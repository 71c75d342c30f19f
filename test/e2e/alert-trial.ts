/**
 * Faults that are really made under a real Prometheus: each alert fires, its fault is mended, and it rests. The files of alerts share it.
 * Minutes of the rules are seconds here. Prints the rows of the table of docs/runbooks.md: alert, fault, seconds to firing, to rest.
 */
import { expect } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { Prometheus, type FiringAlert } from './prometheus.ts';
import { puppetAgent, puppetCharacter, puppetTask } from './puppet.ts';
import type { World } from './world.ts';

/** Time that a fault may take to be noticed, or to be forgotten. */
export const WITHIN_MS = 180_000;
const DISCOVER_EVERY_MS = 2000;

export interface Fault {
  readonly alert: string;
  /** Others that fire because of the same fault. It is mended when all have fired. */
  readonly also?: readonly string[];
  /** The alert of this agent; undefined where it is of no agent. */
  readonly agent?: string;
  readonly what: string;
  readonly make: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
}

/** A fault that an agent of its own makes by its work. */
export interface WorkFault extends Pick<Fault, 'alert' | 'what'> {
  readonly of: string;
  /** Laid over the character of the puppet. */
  readonly character?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly intents: readonly string[];
  /** The alert is of no agent. */
  readonly isOfAll?: true;
}

/** A fault under way. */
interface Made {
  readonly fault: Fault;
  readonly madeMs: number;
  readonly firedMs: Map<string, number>;
  readonly rested: Set<string>;
  mendedMs?: number;
  /** Why it could not be made. */
  unmade?: unknown;
}

export const times = (count: number, intent: string): readonly string[] => Array.from({ length: count }, () => intent);

export class AlertTrial {
  readonly #world: World;
  readonly #namespace: string;
  readonly #prometheus: Prometheus;
  /** Agents whose alert fired: they get no more work. */
  readonly #mended = new Set<string>();
  readonly #rows: string[] = [];

  private constructor(world: World, namespace: string, prometheus: Prometheus) {
    this.#world = world;
    this.#namespace = namespace;
    this.#prometheus = prometheus;
  }

  /** @param namespace  of the agents */
  static async start(world: World, namespace: string): Promise<AlertTrial> {
    return new AlertTrial(world, namespace, await Prometheus.start(world));
  }

  stop(): Promise<void> {
    return this.#prometheus.stop();
  }

  get table(): string {
    return `| alert | fault | fires after s | rests after s |\n|---|---|---|---|\n${this.#rows.join('\n')}\n`;
  }

  agent(name: string, spec: Readonly<Record<string, unknown>> = {}): RenderedObject {
    return { ...puppetAgent(spec), metadata: { name } };
  }

  /** An agent that is ready. */
  async ready(name: string, spec: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.#world.apply(this.#namespace, [this.agent(name, spec)]);
    await this.#world.condition(this.#namespace, ['agent', name], { type: 'Ready', status: 'True' }, WITHIN_MS);
  }

  remove(kind: string, name: string): Promise<string> {
    return this.#world.kubectl.run([
      ...['delete', kind, name, '-n', this.#namespace, '--ignore-not-found', '--wait=false'],
    ]);
  }

  /** @param holder  who shall hold it from now on; nobody if empty */
  holdLease(name: string, namespace: string, holder: string, leaseDurationSeconds: number): Promise<string> {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: holder, leaseDurationSeconds, renewTime, acquireTime: renewTime };
    const patch = ['--type=merge', '-p', JSON.stringify({ spec })];
    return this.#world.kubectl.run(['patch', 'lease', name, '-n', namespace, ...patch]);
  }

  workFault({ alert, what, of, character, spec = {}, intents, isOfAll }: WorkFault): Fault {
    return {
      ...{ alert, what },
      ...(isOfAll === true ? {} : { agent: of }),
      make: async () => {
        if (character === undefined) return this.#work(of, spec, intents);
        const own = { ...(puppetCharacter['spec'] as object), ...character };
        await this.#world.apply(this.#namespace, [{ ...puppetCharacter, metadata: { name: of }, spec: own }]);
        return this.#work(of, { characterRef: { name: of }, ...spec }, intents);
      },
      mend: () => {
        this.#mended.add(of);
        return this.remove('agent', of);
      },
    };
  }

  /** One Task after another for an agent of its own, so that a rate over half a minute sees them all. */
  async #work(name: string, spec: Readonly<Record<string, unknown>>, intents: readonly string[]): Promise<void> {
    await this.ready(name, spec);
    for (const [at, intent] of intents.entries()) {
      if (this.#mended.has(name)) return;
      const task = `${name}-${at}`;
      await this.#world.apply(this.#namespace, [puppetTask(task, intent, name)]);
      const isOver = async (): Promise<true | undefined> =>
        this.#mended.has(name) ||
        (await this.#world.get('task', task, this.#namespace)).status?.['outcome'] !== undefined
          ? true
          : undefined;
      await this.#world.until(`the end of ${task}`, isOver, WITHIN_MS, this.#namespace);
    }
  }

  /** Makes all faults, mends each when its alerts fire, and waits until all rest. */
  async shown(faults: readonly Fault[], withinMs = WITHIN_MS): Promise<void> {
    await this.#prometheus.discover();
    const before = await this.#prometheus.firing();
    const early = faults.flatMap((fault) => alertsOf(fault).filter((alert) => isAmong(before, alert, fault)));
    expect(early).toEqual([]);
    const made: Made[] = faults.map((fault) => ({
      ...{ fault, madeMs: performance.now(), firedMs: new Map<string, number>(), rested: new Set<string>() },
    }));
    const making = made.map((one) =>
      one.fault.make().catch((error: unknown) => {
        one.unmade = error;
      }),
    );
    let discoveredMs = 0;
    const look = async (): Promise<true | undefined> => {
      if (performance.now() - discoveredMs > DISCOVER_EVERY_MS) {
        await this.#prometheus.discover().catch(() => undefined);
        discoveredMs = performance.now();
      }
      const firing = await this.#prometheus.firing();
      for (const one of made) await this.#follow(one, firing);
      return left(made.filter(({ unmade }) => unmade === undefined)).length === 0 ? true : undefined;
    };
    await this.#world
      .until('every alert to fire and to rest', look, withinMs, this.#namespace)
      .catch((error: unknown) => {
        throw new Error(`left: ${left(made).join(', ')}`, { cause: error });
      });
    for (const { fault, unmade } of made) {
      if (unmade !== undefined) throw new Error(`the fault of ${fault.alert} could not be made`, { cause: unmade });
    }
    await Promise.all(making);
  }

  async #follow(one: Made, firing: readonly FiringAlert[]): Promise<void> {
    const { fault, madeMs, firedMs, rested } = one;
    const nowMs = performance.now();
    for (const alert of alertsOf(fault)) {
      if (isAmong(firing, alert, fault)) {
        if (!firedMs.has(alert)) firedMs.set(alert, nowMs);
      } else if (one.mendedMs !== undefined && !rested.has(alert)) {
        rested.add(alert);
        const fired = seconds(madeMs, firedMs.get(alert) ?? 0);
        this.#rows.push(`| ${alert} | ${fault.what} | ${fired} | ${seconds(one.mendedMs, nowMs)} |`);
      }
    }
    if (one.mendedMs !== undefined || firedMs.size < alertsOf(fault).length) return;
    await fault.mend();
    one.mendedMs = performance.now();
  }
}

const alertsOf = ({ alert, also = [] }: Fault): readonly string[] => [alert, ...also];
const seconds = (fromMs: number, toMs: number): number => Math.round((toMs - fromMs) / 1000);

function isAmong(firing: readonly FiringAlert[], alert: string, { agent: name }: Fault): boolean {
  return firing.some((it) => it.alertname === alert && (name === undefined || it.agent === name));
}

/** Alerts that have not fired, or not rested since. */
function left(made: readonly Made[]): readonly string[] {
  return made.flatMap(({ fault, firedMs, rested }) =>
    alertsOf(fault)
      .filter((alert) => !rested.has(alert))
      .map((alert) => (firedMs.has(alert) ? `${alert} (fires)` : alert)),
  );
}
