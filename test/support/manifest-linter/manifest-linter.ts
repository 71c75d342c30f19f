/**
 * Judges rendered manifests by the control lists of `controls.ts`. Pure: objects in, findings out; no finding means that all
 * rules are met.
 *
 * Source: reliability-security 3; platforms 6.
 */
import { containerRules } from './container-rules.ts';
import { Manifest, nameOf, podOf, type PodSubject } from './manifest.ts';
import { objectRules } from './object-rules.ts';
import { podRules } from './pod-rules.ts';
import { rbacRules } from './rbac-rules.ts';
import { setRules } from './set-rules.ts';

export interface Finding {
  readonly rule: string;
  readonly controls: readonly string[];
  /** `Kind namespace/name`, and the container where it is about one. */
  readonly where: string;
  readonly message: string;
}

export interface LintOptions {
  /** The objects are a whole installation, so that what is missing among them is missing. */
  readonly isComplete?: boolean;
}

/** @throws on something that is no Kubernetes object at all */
export function lintManifests(
  objects: readonly unknown[],
  { isComplete = false }: LintOptions = {},
): readonly Finding[] {
  const manifests = objects.map((object) => Manifest.parse(object));
  return [...manifests.flatMap(lintObject), ...(isComplete ? lintSet(manifests) : [])];
}

/** All rules, for tests of the linter itself. */
export const allRules = [...containerRules, ...podRules, ...rbacRules, ...objectRules, ...setRules];

function lintObject(object: Manifest): readonly Finding[] {
  const where = nameOf(object);
  const pod = podOf(object);
  const own = [...rbacRules, ...objectRules].flatMap(({ id, controls, faults }) =>
    faults(object).map((message) => ({ rule: id, controls, where, message })),
  );
  return pod === undefined ? own : [...own, ...lintPod(pod, where)];
}

function lintPod(pod: PodSubject, where: string): readonly Finding[] {
  const ofPod = podRules.flatMap(({ id, controls, faults }) =>
    faults(pod).map((message) => ({ rule: id, controls, where, message })),
  );
  const ofContainers = pod.containers.flatMap((container) =>
    containerRules.flatMap(({ id, controls, faults }) =>
      faults(container, pod).map((message) => ({
        rule: id,
        controls,
        where: `${where} container ${container.name}`,
        message,
      })),
    ),
  );
  return [...ofPod, ...ofContainers];
}

function lintSet(objects: readonly Manifest[]): readonly Finding[] {
  return setRules.flatMap(({ id, controls, faults }) =>
    faults(objects).map(({ object, message }) => ({ rule: id, controls, where: nameOf(object), message })),
  );
}
