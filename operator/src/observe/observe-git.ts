/**
 * Whether a Git controller keeps an object: it would make it again after a deletion.
 *
 * Source: Argo CD, resource tracking; Flux, labels of kustomize-controller and helm-controller.
 */
import { LABELS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';

export type GitController = 'Argo CD' | 'Flux';

const ARGO_ANNOTATION = 'argocd.argoproj.io/tracking-id';
const ARGO_LABEL = 'argocd.argoproj.io/instance';
const HELM_ANNOTATION = 'meta.helm.sh/release-name';
const FLUX_LABELS = ['kustomize.toolkit.fluxcd.io', 'helm.toolkit.fluxcd.io'];

/** @returns undefined for an object that another object owns, since a Git controller keeps only what Git names */
export function gitControllerOf({ metadata }: KubeObject): GitController | undefined {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  if (ownerReferences.some(({ controller }) => controller === true)) return undefined;
  const has = (label: string): boolean => labels[label] !== undefined;
  if (FLUX_LABELS.some((group) => has(`${group}/name`) && has(`${group}/namespace`))) return 'Flux';
  const isArgo = annotations[ARGO_ANNOTATION] !== undefined || has(ARGO_LABEL);
  return isArgo || hasArgoDefaultLabel(labels, annotations) ? 'Argo CD' : undefined;
}

type Marks = Readonly<Record<string, string>>;

/** Up to version 2 Argo CD marks by this label alone. Charts and people set it too, but then with who manages the object. */
function hasArgoDefaultLabel(labels: Marks, annotations: Marks): boolean {
  return (
    labels[LABELS.instance] !== undefined &&
    labels[LABELS.managedBy] === undefined &&
    annotations[HELM_ANNOTATION] === undefined
  );
}
