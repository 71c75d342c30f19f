/** Translates the person's options into arguments for helm. Pure. */

export interface InstallChoice {
  readonly release: string;
  readonly namespace: string;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Files of values; a later one wins. */
  readonly values: readonly string[];
  /** `PATH=VALUE`, as for helm; they win over files. */
  readonly set: readonly string[];
  readonly registry?: string | undefined;
  readonly tag?: string | undefined;
  /** Drops settings of earlier installations. */
  readonly resetValues: boolean;
}

const IMAGES = ['operator', 'agent', 'sandbox'] as const;

/** Installs or upgrades a release. Earlier settings win over new defaults; only values that options name change. */
export function upgradeArguments(chart: string, choice: InstallChoice): readonly string[] {
  const { release, namespace, kubeconfig, context, resetValues } = choice;
  return [
    'upgrade',
    '--install',
    release,
    chart,
    '--namespace',
    namespace,
    '--create-namespace',
    ...option('--kubeconfig', kubeconfig),
    ...option('--kube-context', context),
    resetValues ? '--reset-values' : '--reset-then-reuse-values',
    ...valueArguments(choice),
  ];
}

/** Renders the manifests; no cluster is asked. */
export function templateArguments(chart: string, choice: InstallChoice): readonly string[] {
  return ['template', choice.release, chart, '--namespace', choice.namespace, ...valueArguments(choice)];
}

function valueArguments({ values, set, registry, tag }: InstallChoice): readonly string[] {
  return [
    ...values.flatMap((file) => ['--values', file]),
    // As JSON, so that `1.30` stays a text; helm reads these before --set, so what is set by path wins.
    ...(registry === undefined ? [] : ['--set-json', `image.registry=${JSON.stringify(registry)}`]),
    ...(tag === undefined ? [] : IMAGES.flatMap((name) => ['--set-json', `image.${name}.tag=${JSON.stringify(tag)}`])),
    ...set.flatMap((pair) => ['--set', pair]),
  ];
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

/** Minimum for the chart: from this version on, `null` values and `--reset-then-reuse-values` work correctly. */
const HELM_MIN = { major: 3, minor: 17 } as const;

/** @param printed  of `helm version --short`; @returns what is wrong with it */
export function helmFault(printed: string): string | undefined {
  const [, major = '', minor = ''] = /v(\d+)\.(\d+)/.exec(printed) ?? [];
  if (major === '') return `helm printed no version: ${printed.trim().slice(0, 80)}`;
  const isNew = Number(major) > HELM_MIN.major || (Number(major) === HELM_MIN.major && Number(minor) >= HELM_MIN.minor);
  return isNew
    ? undefined
    : `helm ${major}.${minor} is older than ${HELM_MIN.major}.${HELM_MIN.minor}: ${HOW_TO_GET_HELM}`;
}

export const HOW_TO_GET_HELM =
  'see https://helm.sh/docs/intro/install, or install without it: kubectl apply --server-side -k manifests/base';
