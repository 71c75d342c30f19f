/** The outcome of one pass over one object: exactly one of these, and never an error in addition. */
export type Outcome =
  /** As it should be; looked at again after the time, with jitter, in case an event was missed. */
  | { readonly type: 'Done'; readonly resyncAfterMs: number }
  /** There is no such object and nothing of it is left: nothing to keep in mind until it is made again. */
  | { readonly type: 'Gone' }
  /** Something has to happen elsewhere; its event brings the object back, and this time at the latest. */
  | { readonly type: 'Wait'; readonly reason: string; readonly afterMs: number }
  /** A person must change something: no further try until the object or what it refers to changes. */
  | { readonly type: 'Stalled'; readonly reason: string; readonly message: string }
  /** Something failed that may work next time: tried again with back-off. */
  | { readonly type: 'Failed'; readonly error: Error };
