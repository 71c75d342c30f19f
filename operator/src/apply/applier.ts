/**
 * The only writer of the operator. It never writes a state that already holds.
 *
 * I1  The applier writes a child only if the child does not exist or this very root (uid) controls it. A stranger with the
 *     same name stays, whenever it came: a create names the version of nothing, so it fails where an object exists; a change
 *     names the uid that was judged.
 * I2  Every delete names the uid and the resource version that were judged. Whoever deletes because an object is missing has
 *     asked the API server itself first.
 * I3  Status is written after the children, once per pass, and only when it differs.
 */
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';

/** One desired object. The applier sets our labels and annotations last, so that nobody else's replace them. */
export interface DesiredChild {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** For a child in another namespace, which owner references cannot reach: the labels of the root identify it. */
  readonly isOutsideNamespace?: boolean;
  /** The child outlives the root, as a claim does: it has no owner reference, and the labels of the root identify it. */
  readonly isKept?: boolean;
}

export type ChildResult =
  | { readonly type: 'Unchanged' | 'Written'; readonly live: KubeObject }
  /** Another object has the name: a stranger's, or one of an earlier root during its deletion. */
  | { readonly type: 'NameTaken'; readonly message: string }
  | { readonly type: 'Failed'; readonly error: Error };

/** Only a cache still has the root. Its event is on the way: nothing has failed, and nobody needs to know. */
export class RootGoneError extends Error {}

export interface Applier {
  /**
   * Makes one child as desired: server-side apply with `FIELD_MANAGERS.operatorChildren`, owner reference to `root` added.
   *
   * @param live  as last seen in a cache; where undefined, the API server is asked before anything is made
   */
  applyChild(
    root: KubeObject,
    child: DesiredChild,
    live: KubeObject | undefined,
    signal: AbortSignal,
  ): Promise<ChildResult>;
  /**
   * Gives the judged object the spec of `desired` and nothing beside it, if it is unchanged: what others set in it outlives an apply, and
   * {@link applyChild} takes it for the server's.
   *
   * @param desired  whole: what the server would fill in is there
   * @returns whether something was changed
   */
  restore(resource: Resource, live: KubeObject, desired: KubeObject, signal: AbortSignal): Promise<boolean>;
  /** Deletes the judged object if it is unchanged. Resolves with false otherwise. */
  remove(resource: Resource, live: KubeObject, signal: AbortSignal): Promise<boolean>;
  /** Whether the API server itself says that this object does not exist, or not with this uid. */
  isGone(
    resource: Resource,
    object: { readonly namespace: string; readonly name: string; readonly uid?: string },
    signal: AbortSignal,
  ): Promise<boolean>;
  /**
   * Writes the fields of the status that this field manager owns, all of them, if they differ from `root.status`.
   * `lastTransitionTime` of a condition whose status is unchanged is taken from there.
   *
   * @returns whether it was written
   */
  applyStatus(resource: Resource, root: KubeObject, status: StatusPatch, signal: AbortSignal): Promise<boolean>;
  /** A Kubernetes Event: on a change of state only, never with user text. Fire and forget: its loss harms nothing. */
  event(regarding: KubeObject, event: EventText): void;
}

export interface StatusPatch {
  readonly fieldManager: string;
  /**
   * Every condition type that this manager owns, in every pass. The applier sets `lastTransitionTime`, and adds Reconciling or
   * Stalled beside Ready.
   */
  readonly conditions: readonly NewCondition[];
  /** Every further field that this manager owns; `undefined` for one that must not be there now. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface NewCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  /** At most 1,024 characters; names the next action; no secret, prompt or tool output. */
  readonly message: string;
}

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly related?: KubeObject;
}
