/**
 * The only writer of the operator. Writes nothing that is so already.
 *
 * I1  A child is written only if it does not exist, or is controlled by this very root (uid). A stranger of its name stays,
 *     whenever it came: what is made names the version of nothing, what is changed names the uid that was judged.
 * I2  Every delete names the uid and the resource version that were judged; whoever deletes because something is missing has
 *     looked at the API server itself first.
 * I3  Status is written after the children, once for each pass, and only when it differs.
 */
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';

/** One object as it should be. Labels and annotations of ours are set last, so that nobody else's stand in their place. */
export interface DesiredChild {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Where owner references cannot reach: the child lives in another namespace, and is known by the labels of the root. */
  readonly isOutsideNamespace?: boolean;
  /** Outlives the root, as a claim does: no owner reference; known by the labels of the root. */
  readonly isKept?: boolean;
}

export type ChildResult =
  | { readonly type: 'Unchanged' | 'Written'; readonly live: KubeObject }
  /** The name belongs to somebody else's object, or to one of an earlier root that is being deleted. */
  | { readonly type: 'NameTaken'; readonly message: string }
  | { readonly type: 'Failed'; readonly error: Error };

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
  /** Deletes what was judged, if it is still that. Resolves with false where it was not. */
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
  /** Every condition type that this manager owns, in every pass. `lastTransitionTime` is set by the applier. */
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
