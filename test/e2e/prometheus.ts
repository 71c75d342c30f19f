/** A real Prometheus inside the network of the cluster: the chart's own rules, and every pod of ours scraped each second. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { renderChart } from '../../scripts/render-chart.ts';
import { execInside, startInside } from './cluster.ts';
import type { ClusterObject, World } from './world.ts';

const ADDRESS = '127.0.0.1:19090';
/** Of the alerts: minutes become seconds. */
const DIVISOR = 60;

/** Its labels. */
export interface FiringAlert {
  readonly alertname: string;
  readonly agent?: string;
}

interface Target {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Ports by the name of a pod's program. */
const SCRAPED: Readonly<Record<string, readonly number[]>> = {
  operator: [8443],
  'egress-proxy': [9092],
  agent: [9090, 9091],
};

/** A pod with this variable serves its metrics with a certificate. */
const CERTIFICATE = 'RETAINER_TLS_CERT_FILE';

export class Prometheus {
  readonly #world: World;
  readonly #directory: string;
  readonly #end: () => void;

  private constructor(world: World, directory: string, end: () => void) {
    this.#world = world;
    this.#directory = directory;
    this.#end = end;
  }

  static async start(world: World): Promise<Prometheus> {
    const directory = await mkdtemp(join(tmpdir(), 'retainer-prometheus-'));
    await writeFile(join(directory, 'rules.yaml'), stringify({ groups: await ruleGroups() }));
    await writeFile(join(directory, 'targets.json'), '[]');
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [
        {
          ...{ job_name: 'pods', honor_labels: true, file_sd_configs: [{ files: ['targets.json'] }] },
          tls_config: { insecure_skip_verify: true },
        },
      ],
    };
    await writeFile(join(directory, 'prometheus.yaml'), stringify(config));
    const args = [
      `--config.file=${join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${ADDRESS}`,
    ];
    const prometheus = new Prometheus(world, directory, startInside('prometheus', ...args));
    await world.until('a Prometheus', async () => (await prometheus.firing()) && true, 30_000);
    return prometheus;
  }

  async stop(): Promise<void> {
    this.#end();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Finds the pods anew, as a Prometheus beside an API server does. */
  async discover(): Promise<void> {
    const pods = await this.#world.kubectl.list<ClusterObject>(
      'pods',
      '-A',
      '-l',
      'app.kubernetes.io/part-of=retainer',
    );
    const targets = pods.flatMap((pod) => targetsOf(pod));
    await writeFile(join(this.#directory, 'targets.json'), JSON.stringify(targets));
  }

  async firing(): Promise<readonly FiringAlert[]> {
    const text = await execInside('curl', '-sS', `http://${ADDRESS}/api/v1/alerts`);
    const { data } = JSON.parse(text) as {
      readonly data: { readonly alerts: readonly { readonly state: string; readonly labels: FiringAlert }[] };
    };
    return data.alerts.flatMap(({ state, labels }) => (state === 'firing' ? [labels] : []));
  }
}

async function ruleGroups(): Promise<unknown> {
  const objects = await renderChart({
    'metrics.prometheusRule.enabled': true,
    'metrics.prometheusRule.testDivisor': DIVISOR,
  });
  const rule = objects.find(({ kind }) => kind === 'PrometheusRule');
  if (rule === undefined) throw new Error('the chart renders no PrometheusRule');
  return (rule['spec'] as { readonly groups: unknown }).groups;
}

function targetsOf({ metadata, spec, status }: ClusterObject): readonly Target[] {
  const { labels = {}, namespace = '' } = metadata as { labels?: Record<string, string>; namespace?: string };
  const program = labels['app.kubernetes.io/name'] ?? '';
  const address = status?.['podIP'];
  if (typeof address !== 'string') return [];
  const agent = labels['retainer.dev/agent'];
  const own = agent === undefined ? { job: `retainer-${program}-metrics` } : { agent, agent_namespace: namespace };
  const secure = JSON.stringify(spec).includes(CERTIFICATE) ? { __scheme__: 'https' } : {};
  return (SCRAPED[program] ?? []).map((port) => ({ targets: [`${address}:${port}`], labels: { ...own, ...secure } }));
}
