/** A rule of the linter: what it is about, and in whose lists it stands. */
import type { Container, Manifest, PodSubject } from './manifest.ts';

interface Named {
  /** kebab-case, unique. */
  readonly id: string;
  /** Ids of the lists in `controls.ts` that this rule answers. */
  readonly controls: readonly string[];
}

/** `faults` of a rule are sentences; none means it is met. */
export interface PodRule extends Named {
  readonly faults: (pod: PodSubject) => readonly string[];
}

export interface ContainerRule extends Named {
  readonly faults: (container: Container, pod: PodSubject) => readonly string[];
}

/** About one object of any kind. */
export interface ObjectRule extends Named {
  readonly faults: (object: Manifest) => readonly string[];
}

/** About a whole installation: what must be there beside something else. */
export interface SetRule extends Named {
  readonly faults: (objects: readonly Manifest[]) => readonly Fault[];
}

export interface Fault {
  readonly object: Manifest;
  readonly message: string;
}

/** One sentence where the condition does not hold. */
export function unless(holds: boolean | undefined, message: string): readonly string[] {
  return holds === true ? [] : [message];
}
