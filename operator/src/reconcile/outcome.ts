/** The outcome of one pass over one object: exactly one of these, and never an error in addition. */
export type Outcome =
  /** As desired. Another pass follows after the time, with jitter, in case an event was missed. */
  | { readonly type: 'Done'; readonly resyncAfterMs: number }
  /** Nothing of the object is left: forget the key until somebody makes the object again. */
  | { readonly type: 'Gone' }
  /** The object waits for another change; that event brings it back, or this time at the latest. */
  | { readonly type: 'Wait'; readonly reason: string; readonly afterMs: number }
  /** A person must change something: no further try until the object or what it refers to changes. */
  | { readonly type: 'Stalled'; readonly reason: string; readonly message: string }
  /** A failure that may pass: tried again with back-off. */
  | { readonly type: 'Failed'; readonly error: Error };
